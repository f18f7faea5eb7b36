import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import {
  createPublicClient,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  http,
  parseAbi,
  toFunctionSelector,
} from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SOURCES } from "../../src/devnet/artifacts.ts";
import { sampleAddress } from "../../src/devnet/world.ts";
import { startBrowser } from "../support/browser.ts";
import { type SampleWorld, startSampleWorld } from "../support/sample-world.ts";
import { DESKTOP, findings, PATIENCE, PHONE, visit } from "./visit.ts";

const USER = "0x976ea74026e726554db657fa54763abd0c3a0aa9";
const APPROVER = "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc";
/** The sample world's deployer. */
const DEPLOYER = "0xa0ee7a142d267c1f36714e4a8f75612f20a79720";
const LINE_OF_MARK = `(() => {
  const [mark, code] = ["mark", ".source code"].map((one) => document.querySelector(one).getBoundingClientRect());
  return Math.round((mark.top - code.top) / mark.height) + 1;
})()`;
const SPENDER = `0x${"5e".repeat(20)}` as const;
const MOST_BYTES = 100_000;

interface Transaction {
  hash: string;
  functionName: string;
  isError: string;
  to: string;
  contractAddress: string;
}

let folder: string;
let world: SampleWorld;
let browser: Browser;
let transactions: Transaction[];
let paths: Record<string, string>;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "periscope-pages-"));
  world = await startSampleWorld(folder);
  browser = await startBrowser();
  transactions = await ask("v2/api?module=transaction&action=listtransactions&offset=1000");
  const find = (what: string, holds: (transaction: Transaction) => boolean) => {
    const found = transactions.find(holds);
    if (!found) throw new Error(`the sample world has no ${what}`);
    return found.hash;
  };
  paths = {
    home: "",
    blocks: "blocks",
    transactions: "txs",
    contracts: "contracts",
    accounts: "accounts",
    tokens: "tokens",
    "approvals of an account": `address/${APPROVER}#approvals`,
    "contracts without a source": "contracts#unverified",
    search: "search",
    "contracts by name": "search?q=harbour",
    block: "block/latest",
    "first block": "block/0",
    "transfer of tokens": `tx/${find("transfer", ({ functionName, isError }) => functionName.startsWith("transfer(") && isError === "0")}`,
    "failed call": `tx/${find("failure", ({ isError }) => isError === "1")}`,
    creation: `tx/${find("creation", ({ contractAddress }) => contractAddress !== "")}`,
    account: `address/${USER}`,
    "tokens of an account": `address/${USER}#tokens`,
    "transfers of an account": `address/${USER}#transfers`,
    "internal transactions of an account": `address/${USER}#internal`,
    "verified contract": `address/${sampleAddress("Coin")}#code`,
    "functions of a contract": `address/${sampleAddress("Coin")}#read`,
    "functions that write": `address/${sampleAddress("Coin")}#write`,
    "logs of a contract": `address/${sampleAddress("Coin")}#logs`,
    proxy: `address/${sampleAddress("Proxy")}#code`,
    "functions of a proxy": `address/${sampleAddress("Proxy")}#read`,
    "contract without a source": `address/${sampleAddress("Splitter")}#code`,
    token: `token/${sampleAddress("Coin")}`,
    holders: `token/${sampleAddress("Coin")}#holders`,
    "token of a holder": `token/${sampleAddress("Coin")}?a=${USER}`,
    NFT: `token/${sampleAddress("Badge")}`,
    "one NFT": `nft/${sampleAddress("Badge")}/1`,
    "multi-token": `token/${sampleAddress("Cargo")}#holders`,
  };
});
afterAll(async () => {
  await browser?.close();
  await world?.end();
  await rm(folder, { recursive: true, force: true });
});

async function ask(url: string) {
  return ((await (await fetch(`${world.origin}/${url}`)).json()) as { result: never }).result;
}

const at = (name: string) => `${world.origin}/${paths[name] ?? name}`;

// The names are known before the world is.
const NAMES = [
  "home",
  "blocks",
  "transactions",
  "contracts",
  "accounts",
  "tokens",
  "approvals of an account",
  "contracts without a source",
  "search",
  "contracts by name",
  "block",
  "first block",
  "transfer of tokens",
  "failed call",
  "creation",
  "account",
  "tokens of an account",
  "transfers of an account",
  "internal transactions of an account",
  "verified contract",
  "functions of a contract",
  "functions that write",
  "logs of a contract",
  "proxy",
  "functions of a proxy",
  "contract without a source",
  "token",
  "holders",
  "token of a holder",
  "NFT",
  "one NFT",
  "multi-token",
];

describe.each([
  ["light", DESKTOP],
  ["dark", PHONE],
] as const)("%s", (colorScheme, viewport) => {
  test.each(NAMES)("the page complains of nothing, and nobody is shut out: %s", async (name) => {
    await visit(
      browser,
      at(name),
      async ({ page }) => {
        expect(await findings(page)).toEqual([]);
        await expect.poll(() => page.locator(".problem[role=alert]").count()).toBe(0);
      },
      { colorScheme, viewport },
    );
  });
});

test("the pages are as many as the names", () => {
  expect(Object.keys(paths)).toEqual(NAMES);
});

test.each(["transfer of tokens", "verified contract", "token", "block", "account"])(
  "every request that the page shows is answered as it was: %s",
  async (name) => {
    await visit(browser, at(name), async ({ page, answers }) => {
      await page.getByText("This page as API requests").click();
      const commands = await page.locator(".requests code").allTextContents();
      const urls = commands.flatMap((command) => /^curl '([^']+)'$/.exec(command)?.[1] ?? []);
      expect(urls.length).toBeGreaterThan(1);
      for (const url of urls) {
        const { pathname, search } = new URL(url);
        await expect.poll(() => answers.has(pathname + search), PATIENCE).toBe(true);
        const seen = answers.get(pathname + search);
        const now = (await (await fetch(url)).json()) as object;
        // The world goes on: confirmations and lists grow.
        expect(Object.keys(now)).toEqual(Object.keys(seen as object));
      }
    });
  },
);

test.each(["home", "blocks", "transactions", "transfer of tokens", "account", "token"])(
  "what comes with the document is what the page asks, and is not asked again: %s",
  async (name) => {
    const document = await (await fetch(at(name), { headers: { accept: "text/html" } })).text();
    const [, json = "[]"] = /id="answers">(.*?)<\/script>/s.exec(document) ?? [];
    const [early] = JSON.parse(json) as [{ path: string; body?: string }[]];
    expect(early.length).toBeGreaterThan(0);
    await visit(browser, at(name), async ({ page }) => {
      await page.getByText("This page as API requests").click();
      const commands = await page.locator(".requests code").allTextContents();
      for (const { path, body } of early) {
        const start = `curl '${world.origin}/${path}'`;
        expect(
          commands.filter((text) => text.startsWith(start) && text.includes(body ?? "")),
        ).toHaveLength(1);
      }
    });
  },
);

test("a page makes few requests", async () => {
  for (const name of ["account", "verified contract", "transfer of tokens", "block", "token"]) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(at(name));
    await page.locator("dl").first().waitFor(PATIENCE);
    await context.close();
    const ofApi = asked.filter((path) => /^\/(?:v2|api|sourcify|pages\/answers)/.test(path));
    expect([name, ofApi.length <= 4, ofApi]).toEqual([name, true, ofApi]);
  }
});

test("a transfer of tokens is what the API says of it", async () => {
  const [, hash = ""] = (paths["transfer of tokens"] ?? "").split("/");
  const info = (await ask(
    `api?module=transaction&action=gettxinfo&txhash=${hash}&details=true`,
  )) as Record<string, string> & { details: { call: { signature: string } } };
  const [transfer] = (await ask(`api?module=transaction&action=listtransfers&txhash=${hash}`)) as {
    from: string;
    to: string;
    value: string;
  }[];
  await visit(browser, at("transfer of tokens"), async ({ page, bytes }) => {
    const text = (await page.locator("main").textContent()) ?? "";
    for (const shown of [
      getAddress(info["from"] ?? ""),
      getAddress(info["to"] ?? ""),
      info.details.call.signature,
      "Success",
      "HARBOUR",
    ]) {
      expect(text).toContain(shown);
    }
    const amount = page.locator("#transfers td.number .amount");
    expect((await amount.textContent())?.replaceAll(",", "")).toBe(
      (BigInt(transfer?.value ?? 0) / 10n ** 18n).toString(),
    );
    const [sender, receiver] = await page
      .locator("#transfers td a.hash")
      .evaluateAll((links) => links.map((link) => link.getAttribute("title")));
    expect([sender, receiver]).toEqual([
      getAddress(transfer?.from ?? ""),
      getAddress(transfer?.to ?? ""),
    ]);
    // Figures for the record; the bound is the promise.
    const sum = await bytes();
    expect(sum).toBeLessThan(MOST_BYTES);
  });
});

test("what is shown first of a transaction is small and soon there", async () => {
  const figures: { bytes: number; ms: number }[] = [];
  for (let round = 0; round < 3; round++) {
    await visit(browser, at("transfer of tokens"), async ({ page, bytes }) => {
      const ms = (await page.evaluate(
        "Math.max(...performance.getEntriesByType('resource').map(({ responseEnd }) => responseEnd))",
      )) as number;
      figures.push({ bytes: await bytes(), ms: Math.round(ms) });
    });
  }
  process.stdout.write(`first view of a transaction: ${JSON.stringify(figures)}\n`);
  for (const { bytes } of figures) expect(bytes).toBeLessThan(MOST_BYTES);
});

test("the tree of calls names the functions that verified ABIs know", async () => {
  const frames = (await ask(
    "v2/api?module=account&action=txlistinternal&include_zero_value=true&names=true",
  )) as { hash: string; functionName: string }[];
  const named = frames.find(({ functionName }) => functionName !== "");
  const [name] = named?.functionName.split("(") ?? [];
  await visit(browser, `${world.origin}/tx/${named?.hash}`, async ({ page }) => {
    expect(await page.locator(".calls code").allTextContents()).toContain(name);
  });
});

test("a reason of a failure is told in words", async () => {
  await visit(browser, at("failed call"), async ({ page }) => {
    const reason = (await page.locator(".reason").textContent()) ?? "";
    expect(reason).toMatch(
      /Coin: only the owner mints|Splitter: this call always fails|Insufficient|with 0x|reverted/,
    );
  });
});

test("a contract tells what is proven of it, its files and its functions", async () => {
  await visit(browser, at("verified contract"), async ({ page }) => {
    await page.locator("#proof").getByText("compared").first().waitFor(PATIENCE);
    expect(await page.locator("#proof").textContent()).toContain("decimals uint818");
    const source = page.locator("#sources code").first();
    expect(await source.textContent()).toContain("contract Coin {");
    expect(await source.locator(".keyword").first().textContent()).toBe("pragma");
  });
  await visit(browser, at("functions of a contract"), async ({ page }) => {
    const balance = page.locator("form", { hasText: "balanceOf" });
    await balance.getByRole("textbox").fill(USER);
    await balance.getByRole("button", { name: "Read" }).click();
    const shown = await balance.locator(".number").textContent(PATIENCE);
    expect(BigInt((shown ?? "").replaceAll(",", ""))).toBeGreaterThan(0n);
    await balance.getByRole("textbox").fill("0x12");
    await balance.getByRole("button", { name: "Read" }).click();
    await balance.getByText("Invalid arguments").waitFor(PATIENCE);
  });
  const supply = (await ask(
    `api?module=contract&action=readcontract&address=${sampleAddress("Coin")}&function=symbol()`,
  )) as { values: { value: string }[] };
  await visit(browser, at("functions of a contract"), async ({ page, asked }) => {
    const getter = page.locator("form").filter({ has: page.getByText("symbol", { exact: true }) });
    await getter.scrollIntoViewIfNeeded();
    expect(await getter.locator("dd").textContent(PATIENCE)).toContain(supply.values[0]?.value);
    expect(asked.filter((url) => url.includes("balanceOf"))).toEqual([]);
  });
  await visit(browser, at("functions of a proxy"), async ({ page }) => {
    // The sample world sometimes replaces the implementation by an unverified one.
    const forms = page.locator("#read form");
    if ((await forms.count()) === 0) return;
    await forms.first().getByRole("button").click();
    await forms.first().locator(".parameters").waitFor(PATIENCE);
  });
});

test("a token's page has the transfers and the balance of the holder that its link names", async () => {
  const token = sampleAddress("Coin");
  const held = `api?module=account&action=tokenbalance&contractaddress=${token}&address=${USER}`;
  await visit(browser, at("token of a holder"), async ({ page }) => {
    const amount = page.locator("dt", { hasText: "Holds" }).locator("xpath=..").locator(".amount");
    const shown = Number((await amount.textContent())?.replaceAll(",", ""));
    expect(shown).toBeGreaterThan(0);
    await expect
      .poll(async () => Number(BigInt(await ask(held)) / 10n ** 14n) / 1e4, PATIENCE)
      .toBeCloseTo(shown, 0);
    const rows = page.locator("main tbody tr");
    expect(await rows.count()).toBeGreaterThan(0);
    expect(await rows.filter({ has: page.locator(`[title="${getAddress(USER)}"]`) }).count()).toBe(
      await rows.count(),
    );
    await page.getByRole("link", { name: "show all" }).click();
    await page.waitForURL(`${world.origin}/token/${token}`);
  });
  await visit(browser, `${world.origin}/token/${token}?a=7`, async ({ page }) => {
    await page.getByText("names no address").waitFor(PATIENCE);
  });
});

test("a token's page has the owner and the transfers of the id that its link names, and says where it names none", async () => {
  const badge = sampleAddress("Badge");
  const transfers = (await ask(
    `v2/api?module=account&action=tokennfttx&contractaddress=${badge}&sort=desc`,
  )) as { tokenID: string; hash: string; to: string }[];
  const ofId = transfers.filter(({ tokenID }) => tokenID === "1");
  await visit(browser, at("one NFT"), async ({ page }) => {
    const owner = page.locator("dt", { hasText: "Owner" }).locator("xpath=..").locator("a");
    expect(await owner.getAttribute("title")).toBe(getAddress(ofId[0]?.to ?? ""));
    const rows = page.locator("main tbody tr");
    const shown = await rows
      .locator("td:first-child a")
      .evaluateAll((links) => links.map((link) => link.getAttribute("title")));
    expect(shown).toEqual(ofId.map(({ hash }) => hash));
    await page.getByRole("link", { name: "show all" }).click();
    await page.waitForURL(`${world.origin}/token/${badge}`);
  });
  const last = 2n ** 256n - 1n;
  await visit(browser, `${world.origin}/token/${badge}?a=${last}`, async ({ page }) => {
    await page.getByText("the contract names none").waitFor(PATIENCE);
    await page.getByText("There are no transfers with this id").waitFor(PATIENCE);
  });
  await visit(browser, `${world.origin}/token/${badge}?a=${last + 1n}`, async ({ page }) => {
    await page.getByText("names no address").waitFor(PATIENCE);
  });
  await visit(browser, `${world.origin}/token/${sampleAddress("Cargo")}?a=1`, async ({ page }) => {
    await page.getByText("names no address").waitFor(PATIENCE);
  });
});

test("an address has the operator's label beside it, and on its page what the operator says", async () => {
  await visit(browser, at("account"), async ({ page }) => {
    await page.getByRole("heading", { name: "Faucet" }).waitFor(PATIENCE);
    const link = page.locator("dd a", { hasText: "https://example.org/faucet" });
    expect(await link.getAttribute("rel")).toBe("noopener nofollow");
    await page.getByText("Gives a coin a day").waitFor(PATIENCE);
  });
  await visit(browser, at("holders"), async ({ page }) => {
    const holder = page.locator(".address", { has: page.locator(`[title="${getAddress(USER)}"]`) });
    await expect.poll(() => holder.first().textContent(), PATIENCE).toMatch(/^Faucet 0x976E/);
  });
});

test("an account tells who funded it first, a contract does not", async () => {
  const funding = (await ask(`v2/api?module=account&action=fundedby&address=${USER}`)) as {
    fundingAddress: string;
    fundingTxn: string;
  };
  await visit(browser, at("account"), async ({ page }) => {
    const links = page.locator("dt", { hasText: "Funded by" }).locator("xpath=..").locator("a");
    await links.first().waitFor(PATIENCE);
    expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute("title")))).toEqual(
      [getAddress(funding.fundingAddress), funding.fundingTxn],
    );
  });
  await visit(browser, at("verified contract"), async ({ asked }) => {
    expect(asked.filter((url) => url.includes("fundedby"))).toEqual([]);
  });
});

test("a token and a contract are found by the beginnings of their names", async () => {
  await visit(browser, at("home"), async ({ page }) => {
    const coin = sampleAddress("Coin");
    for (const [text, href] of [
      ["harb", `token/${coin}`],
      ["HARBOUR", `token/${coin}`],
      ["Coin", `token/${coin}`],
      ["proxy", `address/${sampleAddress("Proxy")}#code`],
    ]) {
      await page.getByRole("combobox").fill(text ?? "");
      await page.keyboard.press("Enter");
      await page.locator(`main a[href="${world.origin}/${href}"]`).waitFor(PATIENCE);
    }
  });
});

/** Sends a transaction of an account of the node. */
function send(from: Hex, to: Hex, data: Hex): Promise<Hex> {
  const node = createPublicClient({ transport: http(world.chain) });
  return node.request<{ Parameters: [object]; ReturnType: Hex }>({
    method: "eth_sendTransaction",
    params: [{ from, to, data, gas: "0x100000" }],
  });
}

/** Loads a page again with a wallet that signs everything, and connects it. */
async function connectStub(page: Page, account: Hex): Promise<void> {
  const node = createPublicClient({ transport: http(world.chain) });
  await page.exposeFunction("askNode", (method: string, params: unknown) =>
    method === "eth_requestAccounts" ? [account] : node.request({ method, params } as never),
  );
  await page.addInitScript({
    content: `const detail = Object.freeze({
      info: { uuid: "1", name: "Stub", icon: "data:,", rdns: "org.example" },
      provider: { request: ({ method, params = [] }) => askNode(method, params) },
    });
    const announce = () => dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
    addEventListener("eip6963:requestProvider", announce);`,
  });
  await page.reload();
  const revoke = page.getByRole("row", { name: "Revoke" }).filter({ hasText: "0x5e5E" });
  const connect = page.getByRole("button", { name: "Connect Stub" });
  await revoke.or(connect).first().waitFor(PATIENCE);
  if (await revoke.isVisible()) await revoke.getByRole("button").click();
  await connect.click();
}

test("a function is written through a wallet; without one there are calldata and a command", async () => {
  const [coin, sender] = [sampleAddress("Coin"), getAddress(USER)];
  const calldata = encodeFunctionData({
    abi: erc20Abi,
    functionName: "transfer",
    args: [sender, 5n],
  });
  await visit(browser, at("functions that write"), async ({ page }) => {
    const transfer = page
      .locator("form")
      .filter({ has: page.getByText("transfer", { exact: true }) });
    const fill = async (amount: string) => {
      await transfer.getByRole("textbox").first().fill(USER);
      await transfer.getByRole("textbox").last().fill(amount);
    };
    await fill("5x");
    await transfer.getByText("expected a whole number").waitFor(PATIENCE);
    await fill("5");
    expect(await transfer.locator(".command code").allTextContents()).toEqual([
      calldata,
      `cast send ${getAddress(coin)} 'transfer(address,uint256)' ${USER} 5 --rpc-url $ETH_RPC_URL`,
    ]);
    expect(await transfer.getByRole("button", { name: "Send with wallet" }).isDisabled()).toBe(
      true,
    );
    await connectStub(page, USER);
    await fill(String(2n ** 255n));
    await transfer.getByRole("button", { name: "Try without sending" }).click();
    await transfer.locator(".problem").waitFor(PATIENCE);
    await fill("5");
    await transfer.getByRole("button", { name: "Try without sending" }).click();
    await transfer.getByText("It would succeed now.").waitFor(PATIENCE);
    await transfer.getByRole("button", { name: "Send with wallet" }).click();
    await transfer.locator("a", { hasText: "0x" }).click();
    await page.getByText("Success", { exact: true }).waitFor(PATIENCE);
    // The sentence is complete with the transfers.
    await page.locator(".summary", { hasText: /sent 0\.0+5 HARBOUR to/ }).waitFor(PATIENCE);
  });
});

test("an approval is listed by its spender, and its owner revokes it through a wallet", async () => {
  const coin = sampleAddress("Coin");
  const args = [SPENDER, 7n * 10n ** 18n] as const;
  await send(APPROVER, coin, encodeFunctionData({ abi: erc20Abi, functionName: "approve", args }));
  await visit(browser, at("approvals of an account"), async ({ page }) => {
    const row = page.locator("tbody tr").filter({ hasText: "0x5e5E" });
    await row.getByRole("button", { name: "Revoke" }).waitFor(PATIENCE);
    expect(await row.locator("td.end").first().textContent()).toBe("7");
    await connectStub(page, APPROVER);
    const revocation = page.getByRole("group", { name: "Revoke an approval" });
    expect(await revocation.textContent()).toContain(
      `cast send ${getAddress(coin)} 'approve(address,uint256)' ${SPENDER} 0 --rpc-url`,
    );
    await revocation.getByRole("button", { name: "Send with wallet" }).click();
    await revocation.getByText("Sent:").waitFor(PATIENCE);
    await expect.poll(() => row.count(), PATIENCE).toBe(0);
  });
});

test("the page of tokens has each with its holders", async () => {
  const tokens = (await ask("api?module=token&action=listtokens")) as {
    tokenName: string;
    holdersCount: string;
  }[];
  expect(tokens.length).toBeGreaterThan(2);
  await visit(browser, at("tokens"), async ({ page }) => {
    for (const { tokenName, holdersCount } of tokens) {
      const row = page.locator("tbody tr").filter({ hasText: tokenName });
      expect(await row.first().locator("td[data-title=Holders]").textContent()).toBe(holdersCount);
    }
    await page.getByRole("link", { name: "Harbour Coin" }).click();
    await page.getByRole("heading", { name: "Harbour Coin" }).waitFor(PATIENCE);
  });
});

test("a call shows what it was given and what it returned", async () => {
  const [proxy, args] = [sampleAddress("Proxy"), [sampleAddress("Counter")]] as const;
  const abi = parseAbi(["function upgradeTo(address)"]);
  // The sample world sometimes replaces the implementation by an unverified one.
  await send(DEPLOYER, proxy, encodeFunctionData({ abi, args }));
  const hash = await send(USER, proxy, toFunctionSelector("increment()"));
  await visit(browser, `${world.origin}/tx/${hash}`, async ({ page }) => {
    const frame = page.locator(".calls li", { hasText: "increment" });
    await frame.getByRole("button", { name: "Arguments and returned values" }).click(PATIENCE);
    await frame.getByText("returned").waitFor(PATIENCE);
    expect(await frame.locator(".arguments .number").last().textContent()).toMatch(/^[1-9][\d,]*$/);
  });
});

test("a failed transaction leads to the line that failed, which the contract's page marks", async () => {
  const args = { abi: parseAbi(["function mint(address, uint256)"]), args: [USER, 1n] } as const;
  const hash = await send(USER, sampleAddress("Coin"), encodeFunctionData(args));
  await visit(browser, `${world.origin}/tx/${hash}`, async ({ page }) => {
    const line = page.locator(".lines li");
    await line.getByText('require(msg.sender == owner, "Coin: only the owner mints");').waitFor();
    const link = line.getByRole("link");
    const [file, number] = String(await link.textContent()).split(":");
    await link.click();
    await page.locator("#sources details[open] mark").waitFor({ state: "attached", ...PATIENCE });
    expect(file).toBe("Coin.sol");
    const place = await page.evaluate(LINE_OF_MARK);
    expect(place).toBe(Number(number));
  });
});

test("amounts stand in dollars too, at the price of the feed", async () => {
  const { coin_usd: price } = (await ask("api?module=stats&action=coinprice")) as {
    coin_usd: string;
  };
  const dollars = `$${Number(price).toLocaleString("en", { minimumFractionDigits: 2 })}`;
  await visit(browser, at("home"), async ({ page }) => {
    await page.getByText(dollars, { exact: true }).waitFor(PATIENCE);
  });
  const wei = (await ask(`api?module=account&action=balance&address=${USER}`)) as string;
  await visit(browser, at("account"), async ({ page }) => {
    const shown = String(await page.locator(".dollars").first().textContent(PATIENCE));
    const sum = Number(shown.replaceAll(/[$,]/g, ""));
    expect(Math.abs(sum / ((Number(wei) / 1e18) * Number(price)) - 1)).toBeLessThan(1e-4);
  });
});

test("a contract is verified in the browser, and a wrong source says why not", async () => {
  const [creation] = (await ask(
    `api?module=contract&action=getcontractcreation&contractaddresses=${sampleAddress("Splitter")}`,
  )) as { creationBytecode: Hex }[];
  const node = createPublicClient({ transport: http(world.chain), pollingInterval: 50 });
  const hash = await node.request<{ Parameters: [object]; ReturnType: Hex }>({
    method: "eth_sendTransaction",
    params: [{ from: USER, data: creation?.creationBytecode }],
  });
  const { contractAddress } = await node.waitForTransactionReceipt({ hash });
  const source = await readFile(new URL("Splitter.sol", SOURCES));
  const url = `${world.origin}/address/${contractAddress?.toLowerCase()}#code`;
  await visit(
    browser,
    url,
    async ({ page }) => {
      const give = async (buffer: Buffer) => {
        const file = { name: "Splitter.sol", mimeType: "text/plain", buffer };
        await page.locator("#verify input[type=file]").setInputFiles(file);
        await page.getByRole("button", { name: "Verify" }).click();
      };
      await give(Buffer.from("pragma solidity ^0.8.0; contract Splitter { uint x = 1; }"));
      const says = page.locator("#verify [role=status]");
      await expect.poll(() => says.textContent(), PATIENCE).toMatch(/match|compil/i);
      await expect.poll(() => says.getAttribute("class"), PATIENCE).toBe("problem");
      await give(source);
      await page.getByText("Verified", { exact: true }).waitFor(PATIENCE);
    },
    { expected: /404/ },
  );
});

test("an unverified contract tells which verified one it is similar to", async () => {
  const coin = sampleAddress("Coin");
  const [creation] = (await ask(
    `api?module=contract&action=getcontractcreation&contractaddresses=${coin}`,
  )) as { creationBytecode: Hex }[];
  const node = createPublicClient({ transport: http(world.chain), pollingInterval: 50 });
  const hash = await node.request<{ Parameters: [object]; ReturnType: Hex }>({
    method: "eth_sendTransaction",
    params: [{ from: USER, data: creation?.creationBytecode }],
  });
  const { contractAddress } = await node.waitForTransactionReceipt({ hash });
  const url = `${world.origin}/address/${contractAddress?.toLowerCase()}`;
  await expect.poll(async () => (await fetch(`${world.origin}/tx/${hash}`)).status).toBe(200);
  await visit(browser, `${url}#code`, async ({ page }) => {
    await page.locator(`#similar a[href="${world.origin}/address/${coin}#code"]`).waitFor(PATIENCE);
    expect(await page.locator("main .status").first().textContent()).toBe("Not verified");
  });
});

test("the address of a token leads to its page", async () => {
  await visit(browser, at("verified contract"), async ({ page }) => {
    const link = page.locator(`main a[href="${world.origin}/token/${sampleAddress("Coin")}"]`);
    expect(await link.textContent()).toBe("HARBOUR");
  });
});

test("a list can be taken as a file", async () => {
  await visit(browser, at("account"), async ({ page }) => {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: /^CSV/ }).click();
    const file = await (await download).path();
    const [head, ...rows] = (await readFile(file, "utf8")).trim().split("\r\n");
    expect(head).toContain("blockNumber,timeStamp,hash");
    expect(rows.length).toBeGreaterThan(3);
  });
});

test("a page is reached and used by the keyboard", async () => {
  await visit(browser, at("home"), async ({ page }) => {
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("To the content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
    await page.getByRole("combobox").focus();
    await page.keyboard.type("1");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${world.origin}/block/1`);
    await page.getByRole("heading", { name: "Block 1", exact: true }).waitFor(PATIENCE);
  });
});

test("the way to the content keeps the part that is shown", async () => {
  await visit(browser, at("verified contract"), async ({ page }) => {
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(new URL(page.url()).hash).toBe("#code");
    await page.locator("#proof").waitFor(PATIENCE);
  });
});

/** As the programs make them; MetaMask has EIP-3091's. */
test.each([
  ["viem", (base: string) => `${base}/tx/`],
  ["Hardhat", (base: string) => `${base}/address/${sampleAddress("Coin")}#code`],
  [
    "Foundry",
    (base: string) => `${base}/address/${sampleAddress("Coin").toUpperCase().replace("0X", "0x")}`,
  ],
  ["MetaMask's block", (base: string) => `${base}/block/1`],
  ["MetaMask's token", (base: string) => `${base}/token/${sampleAddress("Coin")}`],
  ["MetaMask's swap", (base: string) => `${base}/tx/`],
] as const)("links as they are made lead to the page: %s", async (_program, make) => {
  const link = make(world.origin);
  const url = link.endsWith("/tx/") ? `${link}${transactions[0]?.hash}` : link;
  await visit(browser, url, async ({ page }) => {
    expect(await page.title()).not.toContain("Nothing here");
    expect(await page.locator("main dl").count()).toBeGreaterThan(0);
  });
});

test.each([
  [`address/${USER}#internaltx`, "Internal"],
  [`address/${USER}?tab=token_transfers`, "Transfers"],
  [`address/${USER}?tab=token_transfers#tokens`, "Tokens"],
  [`address/${USER}#constructor`, "Transactions"],
  [`address/${sampleAddress("Coin")}#readContract`, "Read"],
  [`token/${sampleAddress("Coin")}#balances`, "Holders"],
  [`token/${sampleAddress("Coin")}?tab=holders`, "Holders"],
  [`token/${sampleAddress("Coin")}#events`, "Transfers"],
])("a link that names a part as other explorers do shows it: %s", async (link, title) => {
  await visit(browser, `${world.origin}/${link}`, async ({ page }) => {
    expect(await page.locator(".tabs [aria-current]").allTextContents()).toEqual([title]);
  });
});

test.each([
  ["block/99999999", "This server knows no block 99999999."],
  [`tx/0x${"7".repeat(64)}`, "This server knows no such transaction."],
])("a link to nothing says so: %s", async (link, words) => {
  await visit(
    browser,
    `${world.origin}/${link}`,
    async ({ page }) => {
      await page.getByText(words).waitFor(PATIENCE);
      expect(await findings(page)).toEqual([]);
    },
    { expected: /404/ },
  );
});
