#!/usr/bin/env node
// The command `periscope`. Plain JavaScript that Node 20 runs: it continues with Node 24 or newer.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const NEEDED_MAJOR = 24;
/** npm has no newer Node for macOS than 24.0.0. */
const OLD_MINOR = 10;
const BUNDLED = { darwin: "node-bin-darwin", linux: "node-linux" }[process.platform];

endWithParent();
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major >= NEEDED_MAJOR) {
  if (major === NEEDED_MAJOR && minor < OLD_MINOR) {
    process.stderr.write(`periscope: Node ${process.versions.node} is old; install a newer one\n`);
  }
  await import("./main.ts");
} else {
  runWith(bundledNode());
}

/** Started by `npx`, ends when its shell does: a signal to `npx` reaches that alone. */
function endWithParent() {
  if (process.env.npm_lifecycle_event !== "npx") return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, 500).unref();
}

/** Returns the path of the Node that npm installed with Periscope; ends the process with the remedy without one. */
function bundledNode() {
  const name = `${BUNDLED}-${process.arch}`;
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    return path.join(path.dirname(manifest), "bin", "node");
  } catch {
    fail(`the package ${name} is not installed`);
  }
}

/** Continues as `node`: same arguments, output and exit code; signals that a terminal does not send to both go on to it. */
function runWith(node) {
  const main = fileURLToPath(new URL("./main.ts", import.meta.url));
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: "inherit" });
  child.on("error", (error) => fail(`${node} does not start (${error.code})`));
  child.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => child.kill(signal));
}

function fail(obstacle) {
  process.stderr.write(
    `periscope: it needs Node ${NEEDED_MAJOR}; this is Node ${process.versions.node}, and ${obstacle}. ` +
      `Install Node ${NEEDED_MAJOR} or newer, or install Periscope with its optional dependencies (no --omit=optional).\n`,
  );
  process.exit(1);
}
