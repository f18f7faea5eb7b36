import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";

export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };
/** How long a condition is waited for. */
export const PATIENCE = { timeout: 60_000 };

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A request that the page made together with others. */
interface Joined {
  path: string;
}

/** A page that was asked for, and what came of it. */
export interface Visit {
  page: Page;
  /** Answers of the API that it got, by their path and query. */
  answers: Map<string, unknown>;
  /** The URLs that it asked for. */
  asked: string[];
  /** Bytes that came over the wire, headers included. */
  bytes(): Promise<number>;
}

/** Opens a page, waits until it is idle, uses it, and expects no error, no request to another host and the width of its window. */
export async function visit(
  browser: Browser,
  url: string,
  use: (visit: Visit) => Promise<void>,
  options: BrowserContextOptions & { expected?: RegExp } = {},
): Promise<void> {
  const { expected, ...contextOptions } = options;
  const context = await browser.newContext({ viewport: DESKTOP, ...contextOptions });
  const page = await context.newPage();
  const { origin } = new URL(url);
  const complaints: string[] = [];
  const answers = new Map<string, unknown>();
  const asked: string[] = [];
  const sizes: Promise<number>[] = [];
  const complain = (text: string) => {
    if (!expected?.test(text)) complaints.push(text);
  };
  page.on("console", (message) => complain(message.text()));
  page.on("pageerror", (error) => complain(error.message));
  page.on("request", (request) => {
    asked.push(request.url());
    const isOurs = request.url().startsWith(`${origin}/`) || request.url().startsWith("blob:");
    if (!isOurs) complain(`asked ${request.url()}`);
  });
  page.on("requestfinished", (request) => {
    const size = request
      .sizes()
      .then(({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize);
    sizes.push(size.catch(() => 0));
  });
  /** Notes requests that the page made in one, and their answers. */
  const noteJoined = (base: string, requests: Joined[], entries: { answer: unknown }[]) => {
    requests.forEach(({ path }, index) => {
      const { href, pathname, search } = new URL(path, base);
      asked.push(href);
      answers.set(pathname + search, entries[index]?.answer);
    });
  };
  page.on("response", async (response) => {
    const type = response.headers()["content-type"] ?? "";
    if (!type.includes("json")) return;
    const { href, pathname, search } = new URL(response.url());
    const answer = await response.json().catch(() => undefined);
    answers.set(pathname + search, answer);
    if (pathname.endsWith("/pages/answers.json") && Array.isArray(answer)) {
      noteJoined(new URL("..", href).href, response.request().postDataJSON(), answer);
    }
  });
  try {
    await page.goto(url);
    const [requests = [], entries = []] = JSON.parse(
      (await page.locator("#answers").textContent()) ?? "[]",
    );
    const base = new URL(await page.evaluate("document.documentElement.dataset.base"), page.url());
    noteJoined(base.href, requests, entries);
    await settled(page);
    const bytes = async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    await use({ page, answers, asked, bytes });
    expect(complaints).toEqual([]);
    const overflow = await page.evaluate(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    );
    expect(overflow).toBeLessThanOrEqual(0);
  } finally {
    await context.close();
  }
}

/** Waits until a page shows what it asked for. */
async function settled(page: Page): Promise<void> {
  await page.locator("#app h1").waitFor(PATIENCE);
  await expect.poll(() => page.locator(".waiting").count(), PATIENCE).toBe(0);
}

/** axe's findings for users of a keyboard or a screen reader. */
export async function findings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const violations = (await page.evaluate(`axe.run().then(({ violations }) =>
    violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map(({ html }) => html.slice(0, 200))].join(" ")))`)) as string[];
  return violations;
}
