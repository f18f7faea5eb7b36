import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Address } from "../../src/core/evm/address.ts";
import { loadArtifacts } from "../../src/devnet/artifacts.ts";
import { createRpc, type Rpc } from "../../src/devnet/rpc.ts";
import { playRound, ROUNDS_OF_A_CYCLE } from "../../src/devnet/traffic.ts";
import { createWorld, deployWorld, sampleAddress } from "../../src/devnet/world.ts";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { startBrowser } from "../support/browser.ts";
import { type ChainsFile, createChainsFile } from "../support/chains-file.ts";
import { type Periscope, startPeriscope } from "../support/periscope.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { DESKTOP, findings, PATIENCE, PHONE, visit } from "./visit.ts";

const [NORTH, SOUTH] = [31_337, 42];

let folder: string;
let database: TestDatabase;
let north: Anvil;
let south: Anvil;
let file: ChainsFile;
let periscope: Periscope;
let browser: Browser;
let origin: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "periscope-chains-"));
  [database, north, south] = await Promise.all([
    createTestDatabase(),
    startAnvil(["--chain-id", String(NORTH)]),
    startAnvil(["--chain-id", String(SOUTH)]),
  ]);
  const chainOf = (id: number, name: string, { url }: Anvil) => ({
    CHAIN_ID: id,
    NETWORK_NAME: name,
    RPC_URL: url,
    DATABASE_SCHEMA: `chain_${id}`,
  });
  file = createChainsFile([chainOf(NORTH, "North", north), chainOf(SOUTH, "South Sea", south)]);
  await settle(north, ROUNDS_OF_A_CYCLE);
  await settle(south, ROUNDS_OF_A_CYCLE + 3);
  periscope = startPeriscope({
    DATABASE_URL: database.url,
    CHAINS_FILE: file.path,
    DATA_DIR: folder,
  });
  const listening = await vi.waitUntil(
    () => /Server listening at (http:\S+)/.exec(periscope.messages().join("\n")),
    PATIENCE,
  );
  origin = listening[1] ?? "";
  for (const id of [NORTH, SOUTH]) {
    const isReady = async () => (await fetch(`${origin}/${id}/health/ready`)).status === 200;
    await vi.waitUntil(isReady, PATIENCE);
  }
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await periscope?.end();
  await database.drop();
  await Promise.all([north.stop(), south.stop()]);
  file.remove();
  await rm(folder, { recursive: true, force: true });
});

const rpcOf = ({ url }: Anvil): Rpc => createRpc(url, AbortSignal.timeout(600_000));

/** Deploys the sample world, and plays rounds of its traffic. */
async function settle(node: Anvil, rounds: number): Promise<void> {
  const rpc = rpcOf(node);
  const world = await createWorld(rpc, await loadArtifacts(folder, AbortSignal.timeout(60_000)));
  await deployWorld(rpc, world);
  for (let round = 0; round < rounds; round++) await playRound(rpc, world);
}

async function pay(node: Anvil): Promise<string> {
  const rpc = rpcOf(node);
  const [from, to] = await rpc<Address[]>("eth_accounts");
  return rpc("eth_sendTransaction", { from, to, value: "0x1" });
}

/** Paths below a chain's own; `{tx}` is its newest transaction. */
const PAGES = [
  "",
  "blocks",
  "txs",
  "accounts",
  "contracts#unverified",
  "search",
  "search?q=harbour",
  "block/latest",
  "block/0",
  "tx/{tx}",
  `address/${sampleAddress("Coin")}#code`,
  `address/${sampleAddress("Coin")}#logs`,
  `address/${sampleAddress("Proxy")}`,
  "address/0x976ea74026e726554db657fa54763abd0c3a0aa9#transfers",
  `token/${sampleAddress("Coin")}#holders`,
  `token/${sampleAddress("Cargo")}`,
];

/** The newest transaction of a chain, by its JSON. */
async function newestOf(root: string): Promise<string> {
  const url = `${origin}/${root}/api?module=transaction&action=listtransactions&offset=1`;
  const { result } = (await (await fetch(url)).json()) as { result: { hash: string }[] };
  return result[0]?.hash ?? "";
}

/** Where the links of a page lead, but those to the server's other chains. */
function linksOf(page: Page): Promise<string[]> {
  return page
    .locator("a[href]:not([href^='#'])")
    .evaluateAll((links) =>
      links
        .filter((link) => link.closest("nav")?.getAttribute("aria-label") !== "Chains")
        .map((link) => (link as unknown as { href: string }).href),
    );
}

describe.each([
  ["north", "North", "light", DESKTOP],
  [String(SOUTH), "South Sea", "dark", PHONE],
] as const)("below /%s/", (root, name, colorScheme, viewport) => {
  test.each(PAGES)("/%s is its chain's, and all that it asks and links to is", async (where) => {
    const url = `${origin}/${root}/${where.replace("{tx}", await newestOf(root))}`;
    await visit(
      browser,
      url,
      async ({ page, asked }) => {
        const ours = `${origin}/${root}/`;
        expect(asked.filter((other) => !other.startsWith(ours))).toEqual([]);
        const links = await linksOf(page);
        expect(links.length).toBeGreaterThan(4);
        expect(links.filter((link) => !link.startsWith(ours))).toEqual([]);
        expect(await page.locator("header .network").textContent()).toBe(name);
        expect(await page.locator(".problem[role=alert]").allTextContents()).toEqual([]);
        expect(await findings(page)).toEqual([]);
      },
      { colorScheme, viewport },
    );
  });

  test("a path that does not exist has a page with the way back", async () => {
    await visit(
      browser,
      `${origin}/${root}/no/such/page`,
      async ({ page }) => {
        const links = await linksOf(page);
        expect(links.filter((link) => !link.startsWith(`${origin}/${root}/`))).toEqual([]);
        expect(await findings(page)).toEqual([]);
      },
      { colorScheme, viewport, expected: /404/ },
    );
  });
});

test("a page leads to the same server's other chains", async () => {
  await visit(browser, `${origin}/north/blocks`, async ({ page }) => {
    await page.locator(".menu summary").click();
    await page.getByRole("navigation", { name: "Chains" }).getByText("South Sea").click();
    await page.getByRole("heading", { level: 1, name: "South Sea" }).waitFor(PATIENCE);
    expect(page.url()).toBe(`${origin}/${SOUTH}/`);
    await page.locator("#transactions tbody tr").first().waitFor(PATIENCE);
  });
});

test("a page at the server's root is that of the first chain", async () => {
  await visit(browser, `${origin}/`, async ({ page }) => {
    expect(page.url()).toBe(`${origin}/${NORTH}/`);
  });
});

test("each chain's page follows its own heads", async () => {
  await visit(browser, `${origin}/north/`, async ({ page: ofNorth }) => {
    await visit(browser, `${origin}/south-sea/`, async ({ page: ofSouth }) => {
      const link = (page: Page, hash: string) => page.locator(`#transactions a[title="${hash}"]`);
      const inSouth = await pay(south);
      await link(ofSouth, inSouth).waitFor(PATIENCE);
      const inNorth = await pay(north);
      await link(ofNorth, inNorth).waitFor(PATIENCE);
      expect(await link(ofNorth, inSouth).count()).toBe(0);
      const next = await pay(south);
      await link(ofSouth, next).waitFor(PATIENCE);
      expect(await link(ofSouth, inNorth).count()).toBe(0);
    });
  });
});
