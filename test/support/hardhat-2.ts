import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { startChild } from "../../src/process/child.ts";
import { freePort } from "../../src/process/free-port.ts";
import type { DevelopmentNode } from "./anvil.ts";

/** Where `npm run test:clients` installs it. */
const HOME = path.join(import.meta.dirname, "../clients/hardhat-2");
const STOP_PATIENCE_MS = 5_000;

/** Starts the node of Hardhat 2 on a free port of loopback and waits until it listens. */
export async function startHardhat2(chainId: number): Promise<DevelopmentNode> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "periscope-hardhat-2-"));
  const manifest = createRequire(path.join(HOME, "package.json")).resolve("hardhat/package.json");
  symlinkSync(path.join(manifest, "../.."), path.join(folder, "node_modules"));
  copyFileSync(path.join(HOME, "package.json"), path.join(folder, "package.json"));
  const network = { chainId, allowUnlimitedContractSize: true };
  const config = { networks: { hardhat: network }, solidity: "0.8.28" };
  writeFileSync(
    path.join(folder, "hardhat.config.js"),
    `module.exports = ${JSON.stringify(config)};`,
  );
  const port = await freePort();
  const { promise: listening, resolve } = Promise.withResolvers<true>();
  const lines: string[] = [];
  const program = path.join(folder, "node_modules/hardhat/internal/cli/bootstrap.js");
  const child = startChild({
    command: process.execPath,
    args: [program, "node", "--port", String(port)],
    cwd: folder,
    env: { ...process.env, HARDHAT_DISABLE_TELEMETRY_PROMPT: "true", CI: "true" },
    stopSignal: "TERM",
    onLine: (line) => {
      if (line.includes("Started HTTP")) resolve(true);
      if (lines.push(line) > 10) lines.shift();
    },
  });
  if (!(await child.until(listening, undefined))) {
    throw new Error(`Hardhat 2 ended instead of listening: ${lines.join(" ")}`);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    stop: async () => {
      await child.stop(STOP_PATIENCE_MS);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
