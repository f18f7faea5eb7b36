import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Hex } from "../../src/core/evm/hex.ts";
import {
  type CompilerCatalogue,
  createCatalogue,
} from "../../src/verification/compilers/catalogue.ts";
import type { VerifiedSource } from "../../src/verification/engine/verified-source.ts";
import { verify as verifyHere } from "../../src/verification/engine/verify.ts";
import { DEFAULT_LIMITS, runWorker } from "../../src/verification/process/worker-process.ts";
import type { VerificationForm, VerificationRequest } from "../../src/verification/request.ts";
import { addressAt } from "../support/build.ts";

// Against recorded output of vyper 0.4.3, which a stand-in gives back (recorded-vyper.mjs); test/vyper runs real ones.

interface StandardJson {
  sources: Record<string, { content: string }>;
  settings: object;
}

interface Output {
  contracts: Record<string, Record<string, { layout?: object }>>;
}

interface Recording {
  name: string;
  source: string;
  constructorArguments: string;
  deployment: { creationInput: Hex; runtimeCode: Hex };
  compilations: { settings: object; input: StandardJson; output: Output }[];
  failing: { what: string; input: StandardJson }[];
  commentOnlyChange: { input: StandardJson };
}

const VERSION = "v0.4.3+commit.bff19ea2";
const STAND_IN = path.join(import.meta.dirname, "recorded-vyper.mjs");

let folder: string;
let catalogue: CompilerCatalogue;

beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "periscope-test-vyper-"));
  const file = path.join(folder, `vyper-${VERSION}`);
  // The worker gives its programs no environment, so no PATH either; Node hands its own permissions on.
  const start = `exec '${process.execPath}' '${STAND_IN}' "$@"`;
  writeFileSync(file, `#!/bin/sh\nunset NODE_OPTIONS\n${start}\n`);
  chmodSync(file, 0o755);
  catalogue = createCatalogue({
    folders: { solc: undefined, vyper: folder },
    downloads: { solc: undefined, vyper: undefined },
  });
});

afterAll(() => rmSync(folder, { recursive: true }));

function recording(name: string): Recording {
  const url = new URL(`../fixtures/vyper/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, "utf8")) as Recording;
}

async function verify(
  { deployment }: Recording,
  form: VerificationForm,
  rest: { constructorArguments?: string } = {},
  creationCode: Hex | null = deployment.creationInput,
): Promise<VerifiedSource> {
  const request: VerificationRequest = { ...form, address: addressAt(1), ...rest };
  const build = await catalogue.resolve("vyper", "vyper:0.4.3");
  const { runtimeCode } = deployment;
  const task = {
    type: "verify",
    request: JSON.stringify(request),
    runtimeCode,
    creationCode,
    diagnosisMs: 0,
  } as const;
  const answer = await runWorker(build, task, DEFAULT_LIMITS);
  if (answer.type !== "verified") throw new Error(answer.type);
  return answer.source;
}

function single({ name, source }: Recording): VerificationForm {
  return { format: "vyper", source, name, compilerVersion: VERSION };
}

function json(input: StandardJson, name: string): VerificationForm {
  return { format: "vyper-json", input: JSON.stringify(input), name, compilerVersion: VERSION };
}

function qualities({ runtimeMatch, creationMatch }: VerifiedSource) {
  return [runtimeMatch?.quality, creationMatch?.quality];
}

test.each(["SimpleVault", "NamedCounter", "FeeSplitter"])(
  "%s as a single file: full by the integrity hash of the creation code",
  async (name) => {
    const it = recording(name);
    const verified = await verify(it, single(it));
    expect(qualities(verified)).toEqual(["partial", "full"]);
    expect(verified).toMatchObject({
      language: "Vyper",
      compilerVersion: VERSION,
      contractName: name,
      filePath: `${name}.vy`,
      constructorArguments: `0x${it.constructorArguments}`,
      optimizerEnabled: null,
    });
  },
);

test("standard JSON, by path and name or by the name alone", async () => {
  const it = recording("NamedCounter");
  const [compilation] = it.compilations;
  if (compilation === undefined) throw new Error("nothing recorded");
  for (const name of ["NamedCounter.vy:NamedCounter", "NamedCounter"]) {
    expect(qualities(await verify(it, json(compilation.input, name)))).toEqual(["partial", "full"]);
  }
});

test("solc's setting of the optimizer says nothing of what vyper did", async () => {
  const it = recording("NamedCounter");
  const [compilation] = it.compilations;
  if (compilation === undefined) throw new Error("nothing recorded");
  const { input } = compilation;
  const settings = { ...input.settings, optimizer: { enabled: false, runs: "many" } };
  expect(await verify(it, json({ ...input, settings }, "NamedCounter"))).toMatchObject({
    optimizerEnabled: null,
    optimizerRuns: null,
  });
});

/** As it is verified when vyper makes the recorded output of it. */
async function verifyAs(it: Recording, source: string, settings: object, path = "NamedCounter.vy") {
  const input = {
    language: "Vyper",
    sources: { [path]: { content: source } },
    settings,
  };
  const request = { ...json(input, `${path}:NamedCounter`), address: addressAt(1) };
  const output = JSON.stringify(it.compilations[0]?.output);
  const compile = async () => output.replaceAll('"NamedCounter.vy"', JSON.stringify(path));
  const { runtimeCode, creationInput: creationCode } = it.deployment;
  const build = await catalogue.resolve("vyper", VERSION);
  return verifyHere(
    { request: JSON.stringify(request), build, runtimeCode, creationCode, diagnosisMs: 0 },
    {
      open: async ({ version }) => ({ version, maxOutputBytes: 2 ** 26, compile }),
      onFailure: () => {},
    },
  );
}

test("what the file itself says of the optimizer and the EVM is shown, unless it is no comment", async () => {
  const it = recording("NamedCounter");
  const said = "x: uint256 #  pragma optimize none\n#pragma evm-version  paris \n";
  expect(await verifyAs(it, said, {})).toMatchObject({
    optimizerEnabled: false,
    evmVersion: "paris",
  });
  const settings = { optimize: "gas", evmVersion: "cancun" };
  expect(await verifyAs(it, `"""\n${said}"""\n"# pragma optimize none"`, settings)).toMatchObject({
    optimizerEnabled: true,
    evmVersion: "cancun",
  });
  expect(await verifyAs(it, `"""\n${said}"""\n"# pragma optimize none"`, {})).toMatchObject({
    optimizerEnabled: null,
    evmVersion: null,
  });
});

test("of the folders to search those are shown that lead to a file", async () => {
  const it = recording("NamedCounter");
  const shown = async (search_paths: unknown, path?: string) =>
    (await verifyAs(it, "", { search_paths }, path)).settings;
  const folders = [".", "audited by Somebody", "Named", "lib", "lib/", "lib/n", "lib/new", 7, {}];
  expect(await shown(folders)).toEqual({ search_paths: ["."] });
  expect(await shown(folders, "lib/new/NamedCounter.vy")).toEqual({
    search_paths: [".", "lib", "lib/", "lib/new"],
  });
  expect(await shown("audited")).toEqual({});
});

test("immutables stand behind the runtime code", async () => {
  const it = recording("FeeSplitter");
  const { runtimeMatch, fingerprint } = await verify(it, single(it));
  expect(runtimeMatch).toMatchObject({
    transformations: [{ type: "insert", reason: "immutable", offset: 319, id: "0" }],
    values: { immutables: { "0": `0x${it.constructorArguments}` } },
  });
  expect(fingerprint).toMatchObject({ length: 383, mask: [[319, 64]] });
});

test.each(["compared", "unknown"])(
  "immutables of which the compiler does not tell are %s all the same",
  async (proof) => {
    const it = recording("FeeSplitter");
    const output = it.compilations[0]?.output;
    delete output?.contracts["FeeSplitter.vy"]?.["FeeSplitter"]?.layout;
    const request: VerificationRequest = { ...single(it), address: addressAt(1) };
    const { runtimeCode, creationInput } = it.deployment;
    const build = await catalogue.resolve("vyper", VERSION);
    const compile = async () => JSON.stringify(output);
    const verified = await verifyHere(
      {
        request: JSON.stringify(request),
        build,
        runtimeCode,
        creationCode: proof === "unknown" ? null : creationInput,
        diagnosisMs: 0,
      },
      {
        open: async ({ version }) => ({ version, maxOutputBytes: 2 ** 26, compile }),
        onFailure: () => {},
      },
    );
    expect(verified.proof).toMatchObject({ immutables: proof, values: [] });
  },
);

test("a changed comment is a partial match, told by the integrity hash alone", async () => {
  const it = recording("FeeSplitter");
  const verified = await verify(it, json(it.commentOnlyChange.input, "FeeSplitter.vy:FeeSplitter"));
  expect(qualities(verified)).toEqual(["partial", "partial"]);
  expect(verified.creationMatch?.transformations[0]).toMatchObject({ reason: "cborAuxdata" });
});

test("without the creation code the match is partial", async () => {
  const it = recording("SimpleVault");
  expect(qualities(await verify(it, single(it), {}, null))).toEqual(["partial", undefined]);
});

test("constructor arguments must be those of the creation", async () => {
  const it = recording("FeeSplitter");
  await verify(it, single(it), { constructorArguments: it.constructorArguments });
  const wrong = { constructorArguments: it.constructorArguments.replace(/.$/, "b") };
  await expect(verify(it, single(it), wrong)).rejects.toMatchObject({
    code: "constructor-arguments",
  });
});

test("other settings and another contract do not match", async () => {
  const it = recording("FeeSplitter");
  const other = it.compilations.find(({ settings }) => "evmVersion" in settings);
  if (other === undefined) throw new Error("nothing recorded");
  await expect(verify(it, json(other.input, "FeeSplitter.vy:FeeSplitter"))).rejects.toMatchObject({
    code: "bytecode",
  });
  await expect(verify(it, single(recording("SimpleVault")))).rejects.toMatchObject({
    code: "bytecode",
  });
});

test("what vyper complains of is passed on", async () => {
  const it = recording("SimpleVault");
  for (const { input } of it.failing) {
    const failing = verify(it, json(input, "SimpleVault.vy:SimpleVault"));
    await expect(failing).rejects.toMatchObject({
      code: "compiler-error",
      message: expect.stringMatching(
        /^There was an error compiling your contract: (Version specification|EOF in multi-line)/,
      ),
    });
  }
});

test("another version than the one in the creation code is refused", async () => {
  const it = recording("SimpleVault");
  const creationCode = it.deployment.creationInput.replace("83000403", "83000402") as Hex;
  await expect(verify(it, single(it), {}, creationCode)).rejects.toMatchObject({
    failure: { code: "compiler-version", requested: VERSION, onChain: "0.4.2" },
  });
});

test("a version that stands in the arguments is not that of the contract", async () => {
  const it = recording("FeeSplitter");
  const { creationInput } = it.deployment;
  const argument = "a165767970657283000402".padEnd(64, "0");
  const creationCode: Hex = `0x${creationInput.slice(2, -64)}${argument}`;
  expect(qualities(await verify(it, single(it), {}, creationCode))).toEqual(["partial", "full"]);
});

test("a version that stands in an immutable is not that of the contract", async () => {
  const it = recording("FeeSplitter");
  const argument = "a165767970657283000402".padEnd(64, "0");
  const runtimeCode: Hex = `0x${it.deployment.runtimeCode.slice(2, -64)}${argument}`;
  const other = { ...it, deployment: { ...it.deployment, runtimeCode } };
  expect(qualities(await verify(other, single(it), {}, null))).toEqual(["partial", undefined]);
});

test("without metadata and creation code, the layout tells how long the immutables are", async () => {
  const it = recording("FeeSplitter");
  const output = JSON.stringify(it.compilations[0]?.output);
  const input = { ...it.compilations[0]?.input, settings: { bytecodeMetadata: false } };
  const request = { ...json(input as StandardJson, "FeeSplitter"), address: addressAt(1) };
  const task = { request: JSON.stringify(request), creationCode: null, diagnosisMs: 0 };
  const build = await catalogue.resolve("vyper", VERSION);
  const verifyCode = (runtimeCode: Hex) =>
    verifyHere(
      { ...task, build, runtimeCode },
      {
        open: async ({ version }) => ({
          version,
          maxOutputBytes: 2 ** 26,
          compile: async () => output,
        }),
        onFailure: () => {},
      },
    );
  const { runtimeCode } = it.deployment;
  const { proof } = await verifyCode(runtimeCode);
  expect(proof).toMatchObject({ immutables: "unknown" });
  expect(proof.values.map(({ name }) => name)).toEqual(["RECEIVER", "FEE_BPS"]);
  await expect(verifyCode(`${runtimeCode}00`)).rejects.toMatchObject({ code: "bytecode" });
});

test("an empty source is refused without a compile", async () => {
  const it = recording("SimpleVault");
  await expect(
    verify(it, { ...single(it), source: " " } as VerificationForm),
  ).rejects.toMatchObject({ code: "empty-source" });
});
