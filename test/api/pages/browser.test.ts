import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { concat } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actionsIn } from "../../../src/api/explorer/registry.ts";
import type { ServedChain } from "../../../src/api/serving/served-chain.ts";
import type { Network } from "../../../src/pages/network.ts";
import { getIndexHealth } from "../../../src/store/health.ts";
import { writeIndexerStatus } from "../../../src/store/sync-state.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { CHROMIUM, startBrowser, WITHOUT_CHROMIUM } from "../../support/browser.ts";
import {
  addressAt,
  blockHash,
  publish,
  setSyncState,
  transactionHash,
  wordAt,
} from "../../support/build.ts";
import { bundledVerifier } from "../../support/bundled-verifier.ts";
import { type ScriptedNode, startScriptedNode } from "../../support/scripted-node.ts";
import { USER_OPERATION } from "../../support/world/events.ts";

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
const PATIENCE = { timeout: 60_000 };

describe.skipIf(CHROMIUM === undefined)(`in a real browser${WITHOUT_CHROMIUM}`, () => {
  let node: ScriptedNode;
  let server: TestApp;
  let browser: Browser;
  let origin: string;
  let own: ReturnType<ServedChain["ownIndexer"]> = null;

  beforeAll(async () => {
    node = await startScriptedNode();
    server = await createTestApp({
      nodeUrl: node.url,
      ownIndexer: () => own,
      verifier: bundledVerifier,
      networkName: "Harbour & <b>Sons</b>",
    });
    origin = await server.app.listen({ host: "127.0.0.1", port: 0 });
    await publish(server.sql, {
      blocks: [{ number: 0 }, { number: 1 }, { number: 2 }],
      transactions: [{ blockNumber: 1, fromAddress: addressAt(5) }],
      logs: [
        {
          ...{ blockNumber: 1, address: "0x4337084d9e255ff0702461cf8895ce9e3b5ff108" },
          ...{ topic0: USER_OPERATION, topic1: wordAt(9), topic3: wordAt(0) },
          topic2: `0x${"0".repeat(24)}${addressAt(6).slice(2)}`,
          data: concat([wordAt(1), wordAt(0), wordAt(10 ** 9), wordAt(90_000)]),
        },
      ],
      tokens: [{ address: addressAt(7), holderCount: 1 }],
      dailyStatistics: [{ day: "2025-07-01", blockCount: 3 }],
    });
    await report({ phase: "following", nodeHead: 5 });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server.close();
    await node.stop();
  });

  async function report(status: object): Promise<void> {
    const traces = { tracer: null, reason: "the node offers no traces" };
    await writeIndexerStatus(server.sql, { pending: null, backfill: null, traces, ...status });
    const { indexer } = await getIndexHealth(server.sql);
    own = { indexer, indexerAgeSeconds: 1 };
  }

  /** Opens a page, uses it, and expects that it reported no error and sent requests to no other host. */
  async function visit(
    path: string,
    use: (page: Page) => Promise<void>,
    options: BrowserContextOptions = {},
  ): Promise<void> {
    const context = await browser.newContext({ viewport: DESKTOP, ...options });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(`${origin}/`)) complaints.push(`asked ${request.url()}`);
    });
    try {
      await page.goto(`${origin}${path}`);
      await use(page);
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
    }
  }

  /** Returns the value beside a name in a list of names and values. */
  const figure = (page: Page, name: string) =>
    page
      .locator("dl > div", { has: page.getByText(name, { exact: true }) })
      .locator("dd")
      .textContent();

  test("the page tells the network and where its index stands, and follows it", async () => {
    await visit("/", async (page) => {
      await page.getByText("Ready: every answer is true").waitFor(PATIENCE);
      await page.getByRole("heading", { name: "Harbour & <b>Sons</b>" }).waitFor(PATIENCE);
      expect(await figure(page, "Head")).toBe("2");
      expect(await figure(page, "Head of the node")).toBe("5");
      expect(await figure(page, "Blocks behind")).toBe("3");
      await report({ phase: "following", nodeHead: 1234 });
      await page.getByText("Not ready: 1232 blocks behind the node.").waitFor(PATIENCE);
      expect(await figure(page, "Head of the node")).toBe("1,234");
      await report({ phase: "following", nodeHead: 5 });
    });
  });

  test("the page shows how far a first synchronisation is", async () => {
    const backfill = { from: 1, to: 2000, recorded: 500, blocksPerSecond: 145.2, secondsLeft: 130 };
    await report({ phase: "backfilling", nodeHead: 2064, backfill });
    await visit("/", async (page) => {
      await page
        .getByText("Block 500 of 2,000 · 25 % · 150 blocks/s · 2 min left")
        .waitFor(PATIENCE);
      expect(await page.locator("progress").getAttribute("value")).toBe("0.25");
      await report({ phase: "indexing", nodeHead: 2064, indexes: { built: 15, total: 30 } });
      await page.getByText("Building indexes · 15 of 30 stand").waitFor(PATIENCE);
      expect(await page.locator("progress").getAttribute("value")).toBe("0.5");
      expect(await page.locator(".state").getAttribute("data-state")).toBe("wait");
    });
    await report({ phase: "following", nodeHead: 5 });
  });

  test("the page draws lag and speed, and says what is off and why", async () => {
    await visit("/", async (page) => {
      const lag = page.locator("figure", { hasText: "Blocks behind the node" });
      await lag.locator("svg").waitFor(PATIENCE);
      expect(await lag.locator("output").textContent()).toBe("3 blocks");
      await page.getByText("Price of ETH: off").waitFor(PATIENCE);
    });
  });

  test("the page asks for its lists once a head, and together", async () => {
    await visit("/", async (page) => {
      const joined: string[][] = [];
      page.on("request", (request) => {
        if (!request.url().endsWith("/pages/answers.json")) return;
        joined.push(request.postDataJSON().map(({ path }: { path: string }) => path));
      });
      const newest = page.locator("#blocks tbody tr").first();
      await newest.waitFor(PATIENCE);
      await setSyncState(server.sql, { headNumber: 1, headHash: blockHash(1) });
      await newest.getByRole("link", { name: "1", exact: true }).waitFor(PATIENCE);
      expect(joined).toHaveLength(1);
      expect(
        joined[0]?.map((path) => new URLSearchParams(path.split("?")[1]).get("action")),
      ).toEqual(expect.arrayContaining(["listblocks", "listtransactions"]));
      await setSyncState(server.sql, { headNumber: 2, headHash: blockHash(2) });
    });
  });

  test("the page's commands can be copied with the keyboard, and answer", async () => {
    await visit(
      "/",
      async (page) => {
        const example = page.locator(".examples li").first();
        await example.waitFor(PATIENCE);
        await example.getByRole("button", { name: "Copy" }).focus();
        await page.keyboard.press("Enter");
        await example.getByText("Copied").waitFor(PATIENCE);
        const command = String(await page.evaluate("navigator.clipboard.readText()"));
        expect(command).toContain(addressAt(5));
        const [, url = ""] = /^curl '(.*)'$/.exec(command) ?? [];
        const answer = (await (await fetch(url)).json()) as { status: string };
        expect(answer.status).toBe("1");
      },
      { permissions: ["clipboard-read", "clipboard-write"] },
    );
  });

  test("the page says so when the server is gone, and goes on when it is back", async () => {
    await visit("/", async (page) => {
      await page.getByText("Ready:").waitFor(PATIENCE);
      await page.route("**/health", (route) => route.fulfill({ body: "<html>Bad gateway</html>" }));
      await page.getByText("The server does not answer.").waitFor(PATIENCE);
      await page.unroute("**/health");
      await page.getByText("Ready:").waitFor(PATIENCE);
    });
  });

  test.each([
    ["/", "light", DESKTOP],
    ["/", "dark", PHONE],
    ["/docs", "light", PHONE],
    ["/docs", "dark", DESKTOP],
  ] as const)("%s fits the window and is readable, %s", async (path, colorScheme, viewport) => {
    await visit(
      path,
      async (page) => {
        await page
          .locator(path === "/" ? ".examples li" : ".opblock-tag")
          .first()
          .waitFor(PATIENCE);
        const [overflow, contrast] = (await page.evaluate(READABILITY)) as [number, number];
        expect(overflow).toBeLessThanOrEqual(0);
        expect(contrast).toBeGreaterThan(7);
      },
      { colorScheme, viewport },
    );
  });

  test("the reference has every action in either dialect", async () => {
    await visit("/docs", async (page) => {
      for (const [dialect, value] of [
        ["blockscout", "/api"],
        ["etherscan", "/v2/api"],
      ] as const) {
        await page.locator("#dialect").selectOption(value);
        await page.locator(".operation-filter-input").fill(`${value}/`);
        await page.locator(`[id*="-${dialect}"]`).first().waitFor(PATIENCE);
        const ids = await page
          .locator(".opblock")
          .evaluateAll((blocks) => blocks.map(({ id }) => id));
        const expected = actionsIn(dialect).map(({ module, action }) =>
          blockOf(module, action.name, dialect),
        );
        expect(ids).toEqual(expect.arrayContaining(expected));
      }
    });
  });

  test("the reference is short at first, and its filter finds actions by what they do", async () => {
    await visit("/docs", async (page) => {
      await page.locator(".opblock-tag").first().waitFor(PATIENCE);
      expect(await page.locator(".opblock").count()).toBe(0);
      await page.locator(".operation-filter-input").fill("holders largest");
      await page.locator(".opblock").first().waitFor(PATIENCE);
      const paths = await page.locator(".opblock-summary-path").allTextContents();
      expect(paths.map((path) => path.replaceAll("\u200b", ""))).toEqual([
        "/api/token/getTokenHolders",
        "/api/token/tokenholderlist",
        "/api/token/topholders",
      ]);
    });
  });

  test("a link to an action of Etherscan's dialect opens it", async () => {
    await visit("/docs#/block/etherscanBlockGetblocknobytime", async (page) => {
      const block = page.locator("#operations-block-etherscanBlockGetblocknobytime");
      await block.locator(".execute").waitFor(PATIENCE);
      await expect
        .poll(() => block.textContent(), PATIENCE)
        .toContain("The newest block before that time");
    });
  });

  test("the reference of a chain tries what it shows on this chain, below the page's own folder", async () => {
    await visit("/31337/docs#/stats/blockscoutStatsEthsupply", async (page) => {
      const block = page.locator("#operations-stats-blockscoutStatsEthsupply");
      const asked = page.waitForRequest(/ethsupply$/);
      await block.locator(".execute").click(PATIENCE);
      expect((await asked).url()).toBe(`${origin}/31337/api/stats/ethsupply`);
    });
  });

  test("the reference keeps its own examples on the chain that they are made for", async () => {
    const badge = "0xa15bb66138824a1c7167f5e85b957d04dd34e468";
    await visit("/", async (page) => {
      const network = (await (await fetch(`${origin}/pages/network.json`)).json()) as Network;
      const subjects = { ...network.subjects, token: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" };
      await page.route("**/network.json", (route) =>
        route.fulfill({ json: { ...network, subjects } }),
      );
      const name = "blockscoutAccountAddresstokennftinventory";
      await page.goto(`${origin}/docs#/account/${name}`);
      const block = page.locator(`#operations-account-${name}`);
      await block.locator("input").first().waitFor(PATIENCE);
      expect(await block.locator("input").first().inputValue()).toBe(badge);
    });
  });

  test("the reference's fields are as wide as the window allows on a phone", async () => {
    await visit(
      "/docs#/account/blockscoutAccountTxlist",
      async (page) => {
        const block = page.locator("#operations-account-blockscoutAccountTxlist");
        const field = await block.locator("input").first().boundingBox(PATIENCE);
        expect(field?.width).toBeGreaterThan(PHONE.width * 0.7);
      },
      { viewport: PHONE },
    );
  });

  test("a user operation stands on the pages of its transaction and of its account", async () => {
    const transaction = `/tx/${transactionHash(1)}`;
    for (const path of [transaction, `/address/${addressAt(6)}#operations`]) {
      await visit(path, async (page) => {
        const row = page.locator("tr, li").filter({ hasText: "version 0.8" }).first();
        await row.getByText("failed").first().waitFor(PATIENCE);
        await row.getByText("the account").first().waitFor(PATIENCE);
        if (path === transaction) await page.getByText("User operations").first().waitFor(PATIENCE);
      });
    }
  });

  test("the reference asks the server, with addresses of this chain", async () => {
    await visit("/docs#/account/blockscoutAccountTxlist", async (page) => {
      const block = page.locator("#operations-account-blockscoutAccountTxlist");
      await block.locator(".execute").click(PATIENCE);
      const url = block.locator(".request-url");
      await url.waitFor(PATIENCE);
      expect(await url.textContent()).toContain(
        `${origin}/api/account/txlist?address=${addressAt(5)}`,
      );
      await block.locator(".live-responses-table .response-col_status").getByText("200").waitFor();
      expect(await block.locator(".live-responses-table").textContent()).toContain('"OK"');
    });
  });
});

/** The id that Swagger UI gives to an operation's element. */
function blockOf(module: string, action: string, dialect: string): string {
  const words = [module, ...action.split("_")].map(
    (word) => word.charAt(0).toUpperCase() + word.slice(1),
  );
  return `operations-${module}-${dialect}${words.join("")}`;
}

/** How much wider than the window the page is, and the contrast of its text (WCAG 2.2). */
const READABILITY = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const channels = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255);
  const luminance = (colour) => {
    const [red, green, blue] = channels(colour).map((part) =>
      part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const { color, backgroundColor } = getComputedStyle(document.body);
  const [dark, light] = [luminance(color), luminance(backgroundColor)].sort((a, b) => a - b);
  return [scrollWidth - clientWidth, (light + 0.05) / (dark + 0.05)];
})()`;
