import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Path of the browser that the pages are tried in; undefined on a machine without one. */
export const CHROMIUM = [process.env["CHROMIUM"], "/usr/bin/chromium"].find(
  (path) => path !== undefined && existsSync(path),
);

/** Name of a test that is skipped without a browser. */
export const WITHOUT_CHROMIUM =
  CHROMIUM === undefined ? " (skipped: no Chromium at $CHROMIUM or /usr/bin/chromium)" : "";

/** Starts the browser. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM ?? "",
    // Its sandbox refuses to run as root.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
}
