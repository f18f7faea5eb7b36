import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Periscope, removeData, startPeriscope } from "./support/periscope.ts";

const ROOT = path.join(import.meta.dirname, "..");
const run = promisify(execFile);

/** Packages that an installation of the packed copy gets, from what is installed here. */
async function productionPackages(): Promise<string[]> {
  const lock = JSON.parse(await readFile(path.join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean }>;
  };
  return Object.entries(lock.packages)
    .filter(([place, { dev }]) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(place) && !dev)
    .map(([place]) => place);
}

/** The machine's own Node: the last one of the path, behind the one that npm puts first. */
async function ownNode(): Promise<string> {
  const { stdout } = await run("which", ["-a", "node"]);
  return stdout.trim().split("\n").at(-1) ?? "";
}

describe("the packed copy, installed beside its dependencies", () => {
  let folder: string;
  let bin: string;
  let files: string[];
  let bytes: number;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "periscope-package-"));
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], {
      cwd: ROOT,
      maxBuffer: 2 ** 24,
    });
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as [
      { filename: string; size: number; files: { path: string }[] },
    ];
    bytes = packed.size;
    files = packed.files.map((file) => file.path);
    const target = path.join(folder, "node_modules/periscope");
    await mkdir(target, { recursive: true });
    await run("tar", ["-xzf", path.join(folder, packed.filename), "--strip-components=1"], {
      cwd: target,
    });
    for (const place of await productionPackages()) {
      // Packages for other platforms are in the lock file, but not here.
      if (!(await stat(path.join(ROOT, place)).catch(() => undefined))) continue;
      const copy = path.join(folder, place);
      await mkdir(path.dirname(copy), { recursive: true });
      // Hard links where the file system allows them.
      await run("cp", ["-al", path.join(ROOT, place), copy]).catch(() =>
        run("cp", ["-a", path.join(ROOT, place), copy]),
      );
    }
    bin = path.join(target, "dist/bin.js");
    await mkdir(path.join(folder, "node_modules/.bin"));
    // As npm installs it.
    await chmod(bin, 0o755);
    await symlink(bin, path.join(folder, "node_modules/.bin/periscope"));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("has JavaScript, migrations and nothing of the tests, in 1.5 MB", () => {
    expect(bytes).toBeLessThan(1_500_000);
    const parts = new Set(files.map((name) => name.split("/")[0]));
    expect([...parts].sort()).toEqual([
      "LICENSE",
      "README.md",
      "dist",
      "migrations",
      "package.json",
    ]);
    expect(files.filter((name) => /\.ts$|\.map$/.test(name))).toEqual([]);
  });

  test("keeps each line where the source has it", async () => {
    const lines = async (file: string) => (await readFile(file, "utf8")).split("\n").length;
    for (const name of ["app", "settings/config", "verification/process/worker-process"]) {
      expect(await lines(path.join(path.dirname(bin), `${name}.js`))).toBe(
        await lines(path.join(ROOT, `src/${name}.ts`)),
      );
    }
  });

  test("answers --version and --help under the machine's own Node", async () => {
    const node = await ownNode();
    const { version } = JSON.parse(await readFile(path.join(ROOT, "package.json"), "utf8"));
    expect((await run(node, [bin, "--version"])).stdout).toBe(`${version}\n`);
    expect((await run(node, [bin, "--help"])).stdout).toContain("RPC_URL");
    await expect(run(node, [bin, "compare"])).rejects.toMatchObject({ code: 2 });
  });

  test("indexes, answers and verifies with nothing configured", async () => {
    const data = await mkdtemp(path.join(os.tmpdir(), "periscope-packed-"));
    const periscope: Periscope = startPeriscope({ DATA_DIR: data }, [await ownNode(), bin]);
    try {
      const { api } = await periscope.ready;
      const sources = async () => {
        const url = `${api}?module=contract&action=getsourcecode&address=0x700b6a60ce7eaaea56f065753d8dcb9653dbad35`;
        const { result } = (await (await fetch(url)).json()) as {
          result: [{ SourceCode?: string }];
        };
        return result[0].SourceCode ?? "";
      };
      await expect.poll(sources, { timeout: 60_000 }).toContain("contract ");
      const page = await fetch(new URL("/", api));
      expect(page.status).toBe(200);
      expect(await periscope.end()).toBe(0);
      expect(periscope.complaints()).toBe("");
      await endsWithNpx(data);
    } finally {
      await periscope.end("SIGKILL");
      await removeData(data);
    }
  });

  /** Starts it by `npx`, ends `npx` alone, and waits until nothing holds its output. */
  async function endsWithNpx(data: string): Promise<void> {
    const settings = { DATA_DIR: data, PATH: `${path.dirname(await ownNode())}:/usr/bin:/bin` };
    const npx = ["npm", "exec", "--offline", `--prefix=${folder}`, "--", "periscope"] as const;
    const periscope = startPeriscope(settings, npx);
    const { api } = await periscope.ready;
    expect(await periscope.end()).not.toBe(0);
    expect(periscope.messages()).toContain("stopping on SIGTERM");
    await expect(fetch(api)).rejects.toThrow("fetch failed");
  }
});
