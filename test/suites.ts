// Runs the further suites one after the other:
//   node test/suites.ts             all of them; `npm run test:all` runs the ordinary suite first
//   node test/suites.ts --changed   those whose code differs from the base, within --seconds

import { execFileSync, spawn } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";

interface Suite {
  /** `test:<name>` in package.json. */
  name: string;
  /** Upper estimate on two idle cores. */
  minutes: number;
  /** Beginnings of the paths that the suite covers, besides its own folder. */
  covers: readonly string[];
  /** Programs or modules; the suite is left out where one is missing. */
  needs?: readonly Need[];
}

interface Need {
  program: string;
  /** Names a place of the program. */
  variable?: string;
  /** Command that succeeds where the program can be used; else it is looked for on the PATH. */
  probe?: string;
  remedy: string;
}

const CHROMIUM = { program: "chromium", variable: "CHROMIUM", remedy: "install Debian's chromium" };
const GETH = { program: "geth", variable: "GETH", remedy: "go install go-ethereum/cmd/geth" };
const PYTHON = { program: "python3", remedy: "install Python up to 3.11" };
const CARGO = { program: "cargo", remedy: "install Rust 1.93 or newer" };
const SCHEMATHESIS = {
  program: "schemathesis",
  variable: "SCHEMATHESIS",
  remedy: "pip install schemathesis",
};
const PGBOUNCER = {
  program: "pgbouncer",
  variable: "PGBOUNCER",
  remedy: "install Debian's pgbouncer",
};
const ENGINE = {
  program: "docker",
  probe: "docker info && docker image inspect node:24-slim postgres:18 nginx:1.30",
  remedy: "start an engine; test/containers/base-images.sh makes base images without a registry",
};
const COMPOSE = {
  program: "docker-compose",
  variable: "DOCKER_COMPOSE",
  remedy: "install Docker Compose 2.24 or newer",
};
const KUBECTL = { program: "kubectl", remedy: "install kubectl" };
const KUBECTL_VALIDATE = {
  program: "kubectl-validate",
  variable: "KUBECTL_VALIDATE",
  remedy: "go install sigs.k8s.io/kubectl-validate@v0.0.4",
};
const GO = { program: "go", remedy: "install Go" };
const SYSTEMD = { program: "systemd-analyze", remedy: "run it where systemd is" };
const CITUS = {
  program: "pg_config",
  variable: "PG_CONFIG",
  remedy: "install PostgreSQL with Citus 13",
};

/** By worth for their time, the best first. */
const SUITES: readonly Suite[] = [
  {
    name: "matching",
    minutes: 6,
    covers: ["src/verification/", "src/kit/", "src/api/sourcify/", "test/verification/"],
  },
  {
    name: "processes",
    minutes: 7,
    covers: ["src/", "migrations/", "package-lock.json", "Dockerfile", "test/announce"],
  },
  { name: "deep", minutes: 6, covers: ["src/", "migrations/", "test/indexer/", "test/contract/"] },
  { name: "engines", minutes: 2, covers: ["src/verification/", "test/verification/"] },
  { name: "bench", minutes: 2, covers: ["src/", "test/support/"] },
  { name: "hostile", minutes: 4, covers: ["src/api/", "src/settings/"] },
  { name: "chains", minutes: 5, covers: ["src/composition/", "src/indexer/", "src/settings/"] },
  {
    name: "pages",
    minutes: 10,
    covers: ["src/pages/", "src/api/explorer/"],
    needs: [CHROMIUM],
  },
  { name: "clients", minutes: 8, covers: ["src/api/", "src/verification/"] },
  {
    name: "nodes",
    minutes: 8,
    covers: ["src/chain/", "src/indexer/", "src/verification/jobs/"],
    needs: [GETH],
  },
  { name: "pgbouncer", minutes: 1, covers: ["src/db/"], needs: [PGBOUNCER] },
  {
    name: "manifests",
    minutes: 1,
    covers: ["docs/operations/", "package.json"],
    needs: [KUBECTL, KUBECTL_VALIDATE, GO, SYSTEMD],
  },
  {
    name: "containers",
    minutes: 8,
    covers: ["Dockerfile", "docker-compose", "docs/operations/replicas/"],
    needs: [ENGINE, COMPOSE, PYTHON],
  },
  { name: "python", minutes: 10, covers: ["src/api/", "src/verification/"], needs: [PYTHON] },
  { name: "rust", minutes: 8, covers: ["src/api/", "src/verification/"], needs: [CARGO] },
  { name: "vyper", minutes: 25, covers: ["src/verification/"], needs: [PYTHON] },
  { name: "storm", minutes: 17, covers: ["src/indexer/", "src/chain/", "src/store/"] },
  { name: "openapi", minutes: 8, covers: ["src/api/"], needs: [SCHEMATHESIS] },
  {
    name: "odd-tokens",
    minutes: 75,
    covers: ["src/store/state/", "src/indexer/", "src/api/explorer/from-node/"],
  },
  { name: "scale", minutes: 40, covers: ["src/store/", "src/db/", "migrations/"], needs: [CITUS] },
  { name: "heads", minutes: 25, covers: ["src/api/", "src/store/"] },
];

const ROOT = path.join(import.meta.dirname, "..");
/** A change of one of them may concern every suite. */
const CONCERN_ALL = ["package-lock.json", "package.json", "test/support/", "test/suites.ts"];

const { values } = parseArgs({
  options: { changed: { type: "boolean" }, seconds: { type: "string" } },
});
const end = performance.now() + Number(values.seconds ?? Number.POSITIVE_INFINITY) * 1000;
const failed: string[] = [];
const report: string[] = [];
const suites = values.changed ? concerned(changedFiles()) : SUITES;

for (const suite of suites) {
  const outcome = await outcomeOf(suite);
  if (outcome === "failed") failed.push(suite.name);
  report.push(`${suite.name}: ${outcome}`);
}
say(["", "further suites", ...report.map((line) => `  ${line}`)].join("\n"));
if (failed.length > 0) process.exitCode = 1;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Returns the files that differ from the base; undefined when no base can be determined. */
function changedFiles(): string[] | undefined {
  const base = process.env["BASE"] ?? remoteBase();
  if (base === undefined) return undefined;
  say(`further suites by the changes since ${base}`);
  return git("diff", "--name-only", base)?.split("\n");
}

/** Returns the commit that this branch left origin/main at; undefined on main itself or without a remote. */
function remoteBase(): string | undefined {
  const base = git("merge-base", "origin/main", "HEAD");
  return base === git("rev-parse", "HEAD") ? undefined : base;
}

function git(...args: string[]): string | undefined {
  try {
    const stdio: ["ignore", "pipe", "ignore"] = ["ignore", "pipe", "ignore"];
    return execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio }).trim();
  } catch {
    return undefined;
  }
}

/** Returns the suites that the files concern: all of them when the files are unknown. */
function concerned(files: readonly string[] | undefined): readonly Suite[] {
  const touches = (beginnings: readonly string[]) =>
    files === undefined || files.some((file) => beginnings.some((part) => file.startsWith(part)));
  if (touches(CONCERN_ALL)) return SUITES;
  return SUITES.filter(({ name, covers }) => touches([`test/${name}/`, ...covers]));
}

async function outcomeOf(suite: Suite): Promise<string> {
  const missing = suite.needs?.find((need) => !isInstalled(need));
  if (missing) return `left out: ${missing.program} is not installed; ${missing.remedy}`;
  const leftMs = end - performance.now();
  if (leftMs < suite.minutes * 60_000) {
    const left = Math.max(0, Math.floor(leftMs / 60_000));
    return `left out: takes up to ${suite.minutes} minutes, ${left} are left; run npm run test:${suite.name}`;
  }
  return run(suite.name, leftMs);
}

function isInstalled({ program, variable, probe }: Need): boolean {
  if (variable !== undefined && process.env[variable]) return true;
  try {
    execFileSync("sh", ["-c", probe ?? `command -v ${program}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Runs a suite as a process group, which is ended when its time is over. */
function run(name: string, leftMs: number): Promise<string> {
  say(`\nnpm run test:${name}`);
  const child = spawn("npm", ["run", `test:${name}`, "--", "--retry=1"], {
    cwd: ROOT,
    detached: true,
    stdio: ["ignore", "inherit", "inherit"],
  });
  const began = performance.now();
  const endGroup = () => child.pid && process.kill(-child.pid, "SIGTERM");
  let isLate = false;
  const timer =
    leftMs === Number.POSITIVE_INFINITY
      ? undefined
      : setTimeout(() => {
          isLate = true;
          endGroup();
        }, leftMs);
  process.once("SIGTERM", endGroup).once("SIGINT", endGroup);
  return new Promise((resolve) => {
    child.once("exit", (code) => {
      clearTimeout(timer);
      process.off("SIGTERM", endGroup).off("SIGINT", endGroup);
      const seconds = Math.round((performance.now() - began) / 1000);
      const late = `stopped after ${seconds} s, when the time was over; run npm run test:${name}`;
      if (isLate) resolve(late);
      else resolve(code === 0 ? `passed in ${seconds} s` : "failed");
    });
  });
}
