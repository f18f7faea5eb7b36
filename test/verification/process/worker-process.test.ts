import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  BUNDLED_VERSION,
  type CompilerCatalogue,
  createCatalogue,
} from "../../../src/verification/compilers/catalogue.ts";
import { type CompilerBuild, parseVersion } from "../../../src/verification/compilers/versions.ts";
import { DEFAULT_LIMITS, runWorker } from "../../../src/verification/process/worker-process.ts";
import { compileStandardJson } from "../compile.ts";
import { type CompilerFolder, createCompilerFolder } from "../compiler-folder.ts";
import { endlessLoops, neverEnding } from "../hostile-sources.ts";

let folder: CompilerFolder;
let catalogue: CompilerCatalogue;

beforeAll(() => {
  folder = createCompilerFolder();
  catalogue = createCatalogue({
    folders: { solc: folder.path, vyper: undefined },
    downloads: { solc: undefined, vyper: undefined },
  });
});

afterAll(() => folder.remove());

function input(content: string, settings: object = {}): object {
  const outputSelection = { "*": { "*": ["evm.bytecode.object"] } };
  return {
    language: "Solidity",
    sources: { "a.sol": { content } },
    settings: { ...settings, outputSelection },
  };
}

test("the bundled compiler calls itself what the catalogue says", async () => {
  const build = await catalogue.resolve("solc", BUNDLED_VERSION);
  const answer = await runWorker(build, { type: "version" }, DEFAULT_LIMITS);
  expect(answer).toEqual({ type: "version", version: parseVersion(BUNDLED_VERSION) });
});

test.each([
  ["loops in loops", endlessLoops("A")],
  ["a struct of 2^24 members", neverEnding("A")],
])("%s by way of the IR end at the deadline", async (_what, source) => {
  const limits = { ...DEFAULT_LIMITS, compileTimeoutMs: 2000 };
  const compiling = compileStandardJson(input(source, { viaIR: true }), { limits });
  await expect(compiling).rejects.toMatchObject({
    failure: { code: "compiler-limit", limit: "time", bound: "2 s" },
  });
});

test("dependencies may lie behind a link", async () => {
  const copy = mkdtempSync(path.join(os.tmpdir(), "periscope-linked-"));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  const root = path.resolve(import.meta.dirname, "../../..");
  for (const name of ["src", "package.json"]) {
    cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  }
  symlinkSync(path.join(root, "node_modules"), path.join(copy, "node_modules"));
  const { runWorker }: typeof import("../../../src/verification/process/worker-process.ts") =
    await import(path.join(copy, "src/verification/process/worker-process.ts"));
  const build = await catalogue.resolve("solc", BUNDLED_VERSION);
  const answer = await runWorker(build, { type: "version" }, DEFAULT_LIMITS);
  expect(answer).toEqual({ type: "version", version: parseVersion(BUNDLED_VERSION) });
});

describe("under a bound of memory", () => {
  // The time limit does not matter here, for any speed of the machine.
  const limits = {
    ...DEFAULT_LIMITS,
    compileTimeoutMs: 600_000,
    timeoutMs: 600_000,
    memoryBytes: 350 * 2 ** 20,
  };

  test("a compiler that takes more than it may is stopped", { timeout: 600_000 }, async () => {
    const compiling = compileStandardJson(input(neverEnding("A")), { limits });
    await expect(compiling).rejects.toMatchObject({
      failure: { code: "compiler-limit", limit: "memory", bound: "350 MB" },
    });
  });

  test("an honest source compiles", async () => {
    const source = "pragma solidity ^0.8.0; contract Note { uint256 public mark; }";
    const answer = await compileStandardJson(input(source), { limits });
    expect(answer).toHaveProperty(["contracts", "a.sol", "Note"]);
  });
});

test("a source may be as deep as the compiler allows", async () => {
  const compilerVersion = "0.8.28";
  const source = (depth: number) =>
    `pragma solidity ^0.8.0; contract Note { uint256 public mark = ${"(".repeat(depth)}1${")".repeat(depth)}; }`;
  const compile = (depth: number) =>
    compileStandardJson(input(source(depth)), { catalogue, compilerVersion });
  expect(await compile(200)).toHaveProperty(["contracts", "a.sol", "Note"]);
  const tooDeep = expect.stringContaining("Maximum recursion depth reached");
  expect(await compile(20_000)).toMatchObject({ errors: [{ message: tooDeep }] });
});

test("under a small stack a source that is too deep is the compiler's error", () => {
  const source = `contract Note { function f(uint a) public { a = ${Array(20_000).fill("a").join("+")}; } }`;
  const compiling = `import { compileStandardJson } from ${JSON.stringify(path.join(import.meta.dirname, "../compile.ts"))};
    await compileStandardJson(${JSON.stringify(input(source))}).catch(({ message }) => console.log(message));`;
  const options = ["--no-warnings", "--input-type=module", "--eval", compiling];
  const limited = 'ulimit -s 2048; exec "$0" "$@"';
  const told = execFileSync("sh", ["-c", limited, process.execPath, ...options], {
    encoding: "utf8",
  });
  expect(told).toContain("Maximum call stack size exceeded");
});

test.each(["0.4.26", "0.8.37"])("an input of 12 MiB compiles with %s", async (compilerVersion) => {
  const line = "// what an input is filled with that is far beyond what a stack holds\n";
  const source = `contract A { function f() public {} }\n${line.repeat((12 * 2 ** 20) / line.length)}`;
  const output = await compileStandardJson(input(source), { catalogue, compilerVersion });
  expect(output).toHaveProperty(["contracts", "a.sol", "A", "evm", "bytecode", "object"]);
});

test.each([
  ["a file of the system", 'import "/etc/passwd";'],
  ["a URL", 'import "https://127.0.0.1:1/a.sol";'],
  ["a remapped folder", 'import "x/passwd";'],
])("an import of %s reads nothing", async (_what, statement) => {
  const settings = { remappings: ["x/=/etc/"] };
  const output = await compileStandardJson(input(`${statement} contract A {}`, settings));
  expect(JSON.stringify(output)).toMatch(/not found: File not supplied initially/);
});

test("sources by URL are not fetched", async () => {
  const urls = ["https://127.0.0.1:1/a.sol", "/etc/passwd", "file:///etc/passwd"];
  const output = await compileStandardJson({
    language: "Solidity",
    sources: { "a.sol": { urls } },
    settings: {},
  });
  expect(JSON.stringify(output)).toMatch(/Could not find|not supported|callback/);
});

/** A file that passes for a compiler: its version and its answers are what the code says. */
function standIn(code: string): CompilerBuild {
  const directory = mkdtempSync(path.join(os.tmpdir(), "periscope-test-stand-in-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = path.join(directory, "soljson.js");
  writeFileSync(
    file,
    `const memory = { texts: [] };
     const text = (value) => memory.texts.push(value) - 1;
     module.exports = {
       HEAPU8: new Uint8Array(1 << 20),
       _malloc: () => 0,
       _solidity_version: () => text("1.2.3+commit.01234567"),
       UTF8ToString: (pointer) => memory.texts[pointer],
       _solidity_compile: () => text(JSON.stringify((() => { ${code} })())),
     };`,
  );
  return {
    kind: "soljson",
    version: { release: "1.2.3", prerelease: "", commit: "01234567" },
    file,
  };
}

async function answerOf(build: CompilerBuild): Promise<unknown> {
  const answer = await runWorker(build, { type: "compile", input: "{}" }, DEFAULT_LIMITS);
  return answer.type === "output" ? JSON.parse(answer.output) : answer;
}

test("a compiler sees no environment, no files but the program's, and an empty folder that is removed", async () => {
  process.env["SECRET_OF_THE_TEST"] = "1";
  const seen = await answerOf(
    standIn(`
      const attempt = (action) => { try { action(); return "done"; } catch (error) { return error.code; } };
      const fs = require("node:fs");
      return {
        environment: Object.keys(process.env).filter((name) => name !== "NODE_CHANNEL_FD" && name !== "NODE_CHANNEL_SERIALIZATION_MODE"),
        folder: process.cwd(),
        read: attempt(() => fs.readFileSync("/etc/passwd")),
        list: attempt(() => fs.readdirSync(process.cwd())),
        write: attempt(() => fs.writeFileSync("x", "x")),
        spawn: attempt(() => require("node:child_process").execFileSync("true")),
      };`),
  );
  expect(seen).toEqual({
    environment: [],
    folder: expect.stringContaining("periscope-compiler-"),
    read: "ERR_ACCESS_DENIED",
    list: "ERR_ACCESS_DENIED",
    write: "ERR_ACCESS_DENIED",
    spawn: "ERR_ACCESS_DENIED",
  });
  const { folder: cwd } = seen as { folder: string };
  expect(readdirSync(path.dirname(cwd))).not.toContain(path.basename(cwd));
});

test("an answer that is larger than it may be is not taken", async () => {
  const build = standIn(`return "x".repeat(2 ** 20)`);
  const limits = { ...DEFAULT_LIMITS, maxOutputBytes: 2 ** 20 };
  const running = runWorker(build, { type: "compile", input: "{}" }, limits);
  await expect(running).rejects.toMatchObject({
    failure: { code: "compiler-limit", limit: "output", bound: "1 MB" },
  });
});

test("a compiler that calls itself otherwise than its file is not used", async () => {
  const build = {
    ...standIn("return {}"),
    version: { release: "1.2.4", prerelease: "", commit: "01234567" },
  };
  await expect(answerOf(build)).rejects.toMatchObject({
    failure: {
      code: "compiler-unavailable",
      requested: "v1.2.4+commit.01234567",
      nearest: ["v1.2.3+commit.01234567"],
    },
  });
});

describe("a file of a compiler", () => {
  test.each([
    ["is cut off", "soljson", "var Module = {", "SyntaxError: Unexpected end of input"],
    ["is a page of HTML", "soljson", "<html>", "SyntaxError: Unexpected token '<'"],
    ["does not load", "soljson", `throw new Error("Aborted")`, "Error: Aborted"],
    ["is no program", "native", "\u007fELF", "Error: no version in the compiler's answer"],
    ["may not be run", "native", null, "EACCES"],
    ["does nothing", "native", "#!/bin/sh\nexit 1\n", "Error: no version in the compiler's answer"],
    ["is empty", "vyper", "", "Error: no version in the compiler's answer"],
    ["is gone", "vyper", undefined, "ENOENT"],
  ] as const)("that %s is reported as such", async (_what, kind, content, detail) => {
    const directory = mkdtempSync(path.join(os.tmpdir(), "periscope-test-broken-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const file = path.join(directory, "compiler.js");
    if (content === null) mkdirSync(file);
    else if (content !== undefined) writeFileSync(file, content, { mode: 0o755 });
    const version = { release: "1.2.3", prerelease: "", commit: "01234567" };
    await expect(answerOf({ kind, version, file })).rejects.toMatchObject({
      failure: { code: "compiler-broken", version: "v1.2.3+commit.01234567", detail },
    });
  });
});

test("a compiler that throws fails with its words, one that ends its process with an error of ours", async () => {
  await expect(
    answerOf(standIn(`throw new Error("memory access out of bounds")`)),
  ).rejects.toMatchObject({
    failure: { code: "compiler-error", message: "memory access out of bounds" },
  });
  await expect(answerOf(standIn("process.exit(7)"))).rejects.toMatchObject({
    code: "worker",
    message: expect.stringContaining("exit code 7"),
  });
});

/** An executable in the place of solc: a script of the shell. */
function executable(script: string): CompilerBuild {
  const directory = mkdtempSync(path.join(os.tmpdir(), "periscope-test-executable-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = path.join(directory, "solc");
  const version = "Version: 1.2.3+commit.01234567.Linux.g++";
  writeFileSync(
    file,
    `#!/bin/sh\nif [ "$1" = --version ]; then echo "solc, the compiler"; echo "${version}"; exit; fi\n${script}\n`,
    { mode: 0o755 },
  );
  return {
    kind: "native",
    version: { release: "1.2.3", prerelease: "", commit: "01234567" },
    file,
  };
}

test("an executable gets standard JSON on its input, nothing of our environment, and an empty folder", async () => {
  const seen = await answerOf(
    executable(
      `read input; echo "{\\"input\\":$input,\\"arguments\\":\\"$*\\",\\"home\\":\\"$HOME\\",\\"folder\\":\\"$(ls | wc -l | tr -d ' ')\\"}"`,
    ),
  );
  expect(seen).toEqual({ input: {}, arguments: "--standard-json", home: "", folder: "0" });
});

test("what an executable leaves among the temporary files is removed", async () => {
  const { file } = (await answerOf(executable(`echo "{\\"file\\":\\"$(mktemp)\\"}"`))) as {
    file: string;
  };
  expect(file).toContain("periscope-compiler-");
  expect(existsSync(file)).toBe(false);
});

test("an executable that does not end is killed with the worker", async () => {
  const marker = `${600 + Math.random()}`;
  const build = executable(`sleep ${marker}`);
  const limits = { ...DEFAULT_LIMITS, compileTimeoutMs: 500 };
  const running = runWorker(build, { type: "compile", input: "{}" }, limits);
  await expect(running).rejects.toMatchObject({
    failure: { code: "compiler-limit", limit: "time" },
  });
  const processes = execFileSync("ps", ["-axo", "stat=,args="], { encoding: "utf8" });
  expect(
    processes.split("\n").filter((row) => row.includes(marker) && !row.startsWith("Z")),
  ).toEqual([]);
});

test("an executable that prints without an end is stopped, one that prints nothing fails with its words", async () => {
  const limits = { ...DEFAULT_LIMITS, maxOutputBytes: 2 ** 20 };
  const endless = runWorker(executable("yes"), { type: "compile", input: "{}" }, limits);
  await expect(endless).rejects.toMatchObject({ failure: { limit: "output" } });
  await expect(answerOf(executable("echo not today >&2; exit 1"))).rejects.toMatchObject({
    failure: { code: "compiler-error", message: "not today\n" },
  });
});
