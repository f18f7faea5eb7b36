import { encodeAbiParameters, encodeFunctionData, parseAbi, toFunctionSelector } from "viem";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Address } from "../../src/core/evm/address.ts";
import { type Hex, hexConcat, hexLength } from "../../src/core/evm/hex.ts";
import { type Claim, claimOf } from "../../src/kit/claim.ts";
import { compareReleases } from "../../src/verification/compilers/versions.ts";
import { TEST_CHAIN_ID } from "../support/app.ts";
import { initCodeOf } from "../verification/deployment.ts";
import { RELEASES } from "./compilers.ts";
import {
  caller,
  copier,
  documented,
  keeper,
  mainOf,
  maker,
  modular,
  type Program,
  plain,
  project,
  STRANGE_DOCUMENTATION,
  sourcesOf,
  varied,
} from "./programs.ts";
import { startService } from "./service.ts";

// Every release deploys and verifies, by both forms. Needs Python 3.11 or older, and an index of its packages.

const OWNER: Address = "0x00000000000000000000000000000000000a11ce";
const ARGUMENTS = encodeAbiParameters(
  [{ type: "uint256" }, { type: "string" }, { type: "address" }],
  [1000n, "kept", OWNER],
);

const word = (value: number) => value.toString(16).padStart(64, "0");
const MOST: Hex = `0x${word(500)}`;
const hexOf = (text: string) => Buffer.from(text).toString("hex");

const COPY = parseAbi(["function copy(address target)"]);
const MAKE = parseAbi(["function make(address target, uint256 top, string label, address owner)"]);

let service: Awaited<ReturnType<typeof startService>>;
let { world, server, versions, compileInput } = {} as typeof service;

beforeAll(async () => {
  service = await startService();
  ({ world, server, versions, compileInput } = service);
});
afterAll(() => service?.stop());

/** Standard JSON as the release takes it: files that are only imported stand beside the sources before 0.4.0. */
function standardJson(release: string, program: Program, settings = {}) {
  const sources = sourcesOf(program);
  if (compareReleases(release, "0.4.0") >= 0) return { language: "Vyper", sources, settings };
  if (program.folder) return { language: "Vyper", sources, settings };
  const main = mainOf(program);
  const imported = Object.entries(sources).filter(([path]) => path !== main);
  return {
    language: "Vyper",
    sources: { [main]: sources[main] },
    ...(imported.length > 0 && { interfaces: Object.fromEntries(imported) }),
    settings,
  };
}

function compile(release: string, program: Program, settings = {}, further = {}) {
  const input = { ...standardJson(release, program, settings), ...further };
  return compileInput(release, program, input);
}

/** The creation codes of what the dialects serve as the compiler's input. */
async function compileServed(release: string, address: Address, program: Program): Promise<Hex[]> {
  const { body } = await server.app.inject(
    `/v2/api?module=contract&action=getsourcecode&address=${address}`,
  );
  const other = await server.app.inject(
    `/sourcify/v2/contract/${TEST_CHAIN_ID}/${address}?fields=stdJsonInput`,
  );
  const inputs = [
    JSON.parse(JSON.parse(body).result[0].SourceCode.slice(1, -1)),
    JSON.parse(other.body).stdJsonInput,
  ];
  const compiled = inputs.map((input) => compileInput(release, program, input));
  return (await Promise.all(compiled)).map(({ creation }) => creation);
}

async function verifySingle(
  release: string,
  address: Address,
  { name, source }: Program,
  evmVersion = "default",
) {
  const response = await server.app.inject({
    method: "POST",
    url: "/api?module=contract&action=verify_vyper_contract",
    headers: { "content-type": "application/json" },
    payload: JSON.stringify({
      addressHash: address,
      name,
      compilerVersion: versions.get(release),
      contractSourceCode: source,
      evmVersion,
    }),
  });
  return response.json();
}

/** Submits the kit's claim from an answer; returns the outcome. */
async function importClaim(contractaddress: Address, claim: Claim | undefined): Promise<string> {
  const submission = { module: "contract", action: "verifysourcecode", contractaddress, ...claim };
  const submitted = await server.app.inject({
    method: "POST",
    url: "/api",
    headers: { "content-type": "application/json" },
    payload: JSON.stringify(submission),
  });
  const { result, message } = submitted.json();
  return vi.waitUntil(
    async () => {
      const status = await server.app.inject(
        `/api?module=contract&action=checkverifystatus&guid=${result ?? message}`,
      );
      const ended = status.json();
      const outcome = ended.message === "OK" ? ended.result : ended.message;
      return outcome === "Pending in queue" ? undefined : outcome;
    },
    { timeout: 60_000, interval: 200 },
  );
}

async function verifyStandard(
  release: string,
  address: Address,
  program: Program,
  settings = {},
  further = {},
) {
  const response = await server.app.inject({
    method: "POST",
    url: `/sourcify/v2/verify/${TEST_CHAIN_ID}/${address}`,
    headers: { "content-type": "application/json" },
    payload: JSON.stringify({
      stdJsonInput: { ...standardJson(release, program, settings), ...further },
      compilerVersion: versions.get(release)?.slice(1),
      contractIdentifier: `${mainOf(program)}:${program.name}`,
    }),
  });
  const { verificationId } = response.json();
  if (verificationId === undefined) throw new Error(response.body);
  const job = await server.app.inject(`/sourcify/v2/verify/${verificationId}`);
  return job.json();
}

/** Calls a contract that makes another one; its address. */
async function madeBy(factory: Address, data: Hex): Promise<Address> {
  await world.node.send({ to: factory, data });
  const call = { to: factory, data: toFunctionSelector("made()") };
  const made = await world.node.request<Hex>("eth_call", call, "latest");
  return `0x${made.slice(26)}`;
}

/** Since then vyper writes metadata behind the creation code. */
function writesSizes(release: string): boolean {
  return compareReleases(release, "0.3.10") >= 0;
}

/** The level that a release's codes can reach: its creation code names its sources since 0.4.1. */
function best(release: string): "exact_match" | "match" {
  return compareReleases(release, "0.4.1") >= 0 ? "exact_match" : "match";
}

describe.each(RELEASES)("vyper %s", (release) => {
  test("one file with arguments and immutables verifies", async () => {
    const program = keeper(release, "single");
    const { creation } = await compile(release, program);
    const { address } = await world.node.deploy(hexConcat(creation, ARGUMENTS));
    expect(await verifySingle(release, address, program)).toMatchObject({
      status: "1",
      message: "OK",
      result: {
        ContractName: "Keeper",
        SourceCode: program.source,
        CompilerVersion: versions.get(release),
        ConstructorArguments: ARGUMENTS.slice(2),
      },
    });
  });

  test("standard JSON with arguments and immutables verifies", async () => {
    const program = keeper(release, "standard");
    const { creation } = await compile(release, program);
    const { address } = await world.node.deploy(hexConcat(creation, ARGUMENTS));
    const job = await verifyStandard(release, address, program);
    expect(job).toMatchObject({ isJobCompleted: true, contract: { match: best(release) } });
    expect(job.error).toBeUndefined();
    const { body } = await server.app.inject(
      `/sourcify/v2/contract/${TEST_CHAIN_ID}/${address}?fields=runtimeBytecode,creationBytecode,proof,signatures`,
    );
    const { runtimeBytecode, creationBytecode } = JSON.parse(body);
    const onChain = await world.node.request<Hex>("eth_getCode", address, "latest");
    expect(runtimeBytecode.onchainBytecode).toBe(onChain);
    expect(creationBytecode.onchainBytecode).toBe(hexConcat(creation, ARGUMENTS));
  });

  test.runIf(writesSizes(release))("code without metadata is no full match", async () => {
    const program = keeper(release, "bare");
    const settings = { bytecodeMetadata: false };
    const { creation } = await compile(release, program, settings);
    const { address } = await world.node.deploy(hexConcat(creation, ARGUMENTS));
    const job = await verifyStandard(release, address, program, settings);
    expect(job.error).toBeUndefined();
    expect(job.contract.match).toBe("match");
  });

  test("an interface of a file of its own is found", async () => {
    const program = caller(release, "imports");
    const { creation } = await compile(release, program);
    const { address } = await world.node.deploy(creation);
    const job = await verifyStandard(release, address, program);
    expect(job.error).toBeUndefined();
    expect(job.contract.match).toBe(best(release));
    expect(await compileServed(release, address, program)).toEqual([creation, creation]);
  });

  test.runIf(compareReleases(release, "0.4.1") >= 0)(
    "a storage layout of its own is kept",
    async () => {
      const program = plain(release, "layout");
      const layout = { total: { type: "uint256", slot: 77, n_slots: 1 } };
      const isNested = compareReleases(release, "0.4.2") >= 0;
      const further = {
        storage_layout_overrides: { "Plain.vy": isNested ? { storage_layout: layout } : layout },
      };
      const { creation } = await compile(release, program, {}, further);
      expect(creation).not.toBe((await compile(release, program)).creation);
      const { address } = await world.node.deploy(creation);
      const job = await verifyStandard(release, address, program, {}, further);
      expect(job.contract.match).toBe("exact_match");
      expect(await compileServed(release, address, program)).toEqual([creation, creation]);
    },
  );

  test("what the file chose is shown, what the release ignores is not", async () => {
    const isRead = writesSizes(release);
    const chosen = isRead ? "# pragma optimize none\n# pragma evm-version paris\n" : "";
    const program = plain(release, `chosen\n${chosen}`);
    const further = compareReleases(release, "0.4.1") < 0 && {
      storage_layout_overrides: { "Plain.vy": { total: { type: "uint256", slot: 77 } } },
    };
    const settings = isRead ? {} : { optimize: "none" };
    const { creation } = await compile(release, program, settings, further || {});
    const { address } = await world.node.deploy(creation);
    const job = await verifyStandard(release, address, program, settings, further || {});
    expect(job.error).toBeUndefined();
    const { body } = await server.app.inject(
      `/v2/api?module=contract&action=getsourcecode&address=${address}`,
    );
    const [shown] = JSON.parse(body).result;
    expect(shown.SourceCode).not.toContain("storage_layout_overrides");
    expect([shown.OptimizationUsed, shown.EVMVersion]).toEqual(
      isRead ? ["0", "paris"] : ["1", expect.stringMatching(/^default$/i)],
    );
  });

  test("what either dialect of an explorer shows verifies another deployment", async () => {
    const evmVersion = compareReleases(release, "0.3.8") >= 0 ? "paris" : "istanbul";
    for (const program of [keeper(release, "shown"), caller(release, "shown")]) {
      const { creation } = await compile(release, program, { evmVersion });
      const initCode = program.others ? creation : hexConcat(creation, ARGUMENTS);
      const { address } = await world.node.deploy(initCode);
      const single = program.others
        ? await verifyStandard(release, address, program, { evmVersion })
        : await verifySingle(release, address, program, evmVersion);
      expect(single.error).toBeUndefined();
      expect(single.message ?? "OK").toBe("OK");
      for (const base of ["/api", "/v2/api"]) {
        const shown = await server.app.inject(
          `${base}?module=contract&action=getsourcecode&address=${address}`,
        );
        const other = (await world.node.deploy(initCode)).address;
        expect(await importClaim(other, claimOf(shown.json().result[0]))).toBe("Pass - Verified");
      }
    }
  });

  test("a contract made by a factory's CREATE2 verifies", async () => {
    const program = plain(release, "factory");
    const { creation } = await compile(release, program);
    const { address } = await world.node.deploy(creation, "create2");
    expect(await verifySingle(release, address, program)).toMatchObject({ message: "OK" });
  });

  test("a blueprint verifies", async () => {
    const program = plain(release, "blueprint");
    const { creation } = await compile(release, program);
    const { address } = await world.node.deploy(initCodeOf(hexConcat("0xfe7100", creation)));
    expect(await verifySingle(release, address, program)).toMatchObject({ message: "OK" });
  });

  test("another source, another argument and another release verify nothing", async () => {
    const program = keeper(release, "refused");
    const { creation } = await compile(release, program);
    const { address } = await world.node.deploy(hexConcat(creation, ARGUMENTS));
    const changed = { ...program, source: program.source.replace("return", "return 1 +") };
    const other = { ...program, source: program.source.replace("String[32]", "String[33]") };
    for (const wrong of [changed, other]) {
      expect((await verifySingle(release, address, wrong)).status).toBe("0");
    }
  });

  test("code behind the end of what was compiled is no immutable", async () => {
    const program = plain(release, "tail");
    const { runtime } = await compile(release, program);
    for (const tail of [
      "0x60006000fd",
      `0x${"00".repeat(31)}2a`,
      `0x${"5b".repeat(64)}`,
    ] as Hex[]) {
      const { address } = await world.node.deploy(initCodeOf(hexConcat(runtime, tail)));
      expect((await verifySingle(release, address, program)).status).toBe("0");
    }
  });

  test("a project of several files verifies, and what is shown compiles again", async () => {
    const program = project(release, "project");
    const { creation } = await compile(release, program);
    const { address } = await world.node.deploy(hexConcat(creation, MOST));
    const job = await verifyStandard(release, address, program);
    expect(job.error).toBeUndefined();
    expect(job.contract.match).toBe(best(release));
    expect(await compileServed(release, address, program)).toEqual([creation, creation]);
  });

  // Later releases make no code of it.
  const asked = Object.entries(compareReleases(release, "0.4.0") < 0 ? STRANGE_DOCUMENTATION : {});
  test.for(asked)("documentation with %s is no error", async ([_what, documentation]) => {
    const program = documented(release, documentation);
    const { creation } = await compile(release, program);
    for (const verify of [verifyStandard, verifySingle]) {
      const { address } = await world.node.deploy(creation);
      const answer = await verify(release, address, program);
      expect(answer.error ?? answer.message).toBe(verify === verifySingle ? "OK" : undefined);
    }
  });

  test.runIf(compareReleases(release, "0.3.4") >= 0)(
    "a copy that a contract made of another one, immutables included, verifies",
    async () => {
      const program = keeper(release, "copied");
      const { creation } = await compile(release, program);
      const original = await world.node.deploy(hexConcat(creation, ARGUMENTS));
      const { address: factory } = await world.node.deploy(
        (await compile(release, copier(release))).creation,
      );
      const address = await madeBy(
        factory,
        encodeFunctionData({ abi: COPY, args: [original.address] }),
      );
      const job = await verifyStandard(release, address, program);
      expect(job).toMatchObject({ contract: { match: "match" } });
    },
  );

  test.runIf(compareReleases(release, "0.3.4") >= 0)(
    "a contract that another one made of a blueprint verifies",
    async () => {
      const program = keeper(release, "of a blueprint");
      const { creation } = await compile(release, program);
      const blueprint = await world.node.deploy(initCodeOf(hexConcat("0xfe7100", creation)));
      const { address: factory } = await world.node.deploy(
        (await compile(release, maker(release))).creation,
      );
      const args = [blueprint.address, 1000n, "kept", OWNER] as const;
      const address = await madeBy(factory, encodeFunctionData({ abi: MAKE, args }));
      const job = await verifyStandard(release, address, program);
      expect(job).toMatchObject({
        contract: { match: best(release), creationMatch: best(release) },
      });
    },
  );

  test.runIf(compareReleases(release, "0.3.1") >= 0)(
    "immutables that no arguments lead to are refused",
    async () => {
      const program = keeper(release, "forged", "1000 * 3");
      const { creation } = await compile(release, program);
      const honest = await world.node.deploy(hexConcat(creation, ARGUMENTS));
      const runtimeOf = (top: number) => honest.runtimeCode.replace(word(3000), word(top)) as Hex;
      const forged = await world.node.deploy(initCodeOf(runtimeOf(9000)));
      expect((await verifyStandard(release, forged.address, program)).contract.match).toBeNull();
      const copy = await world.node.deploy(initCodeOf(runtimeOf(3000)));
      expect((await verifyStandard(release, copy.address, program)).contract.match).toBe("match");
    },
  );

  test.runIf(compareReleases(release, "0.3.1") >= 0)(
    "texts and lists that no arguments lead to are refused",
    async () => {
      const program = varied(release);
      const given = encodeAbiParameters([{ type: "string" }, { type: "uint256" }], ["any", 7n]);
      const { creation } = await compile(release, program);
      const { runtimeCode } = await world.node.deploy(hexConcat(creation, given));
      const forgeries = [
        [hexOf("honest"), hexOf("forged")],
        [word(3000), word(9000)],
      ] as const;
      for (const [honest, forged] of forgeries) {
        expect(runtimeCode).toContain(honest);
        const code = runtimeCode.replace(honest, forged) as Hex;
        const { address } = await world.node.deploy(initCodeOf(code));
        expect((await verifyStandard(release, address, program)).contract.match).toBeNull();
      }
      const copy = await world.node.deploy(initCodeOf(runtimeCode));
      expect((await verifyStandard(release, copy.address, program)).contract.match).toBe("match");
    },
  );

  test.runIf(compareReleases(release, "0.4.0") >= 0)(
    "immutables of a module that its own constructor does not leave are refused",
    async () => {
      const program = modular(release);
      const { creation } = await compile(release, program);
      const given = encodeAbiParameters([{ type: "address" }], [OWNER]);
      const { address, runtimeCode } = await world.node.deploy(hexConcat(creation, given));
      const honest = await verifyStandard(release, address, program);
      expect(honest.contract.match).toBe(best(release));
      const code = runtimeCode.replace(word(3000), word(9000)) as Hex;
      const forged = await world.node.deploy(initCodeOf(code));
      expect((await verifyStandard(release, forged.address, program)).contract.match).toBeNull();
      const copy = await world.node.deploy(initCodeOf(runtimeCode));
      expect((await verifyStandard(release, copy.address, program)).contract.match).toBe("match");
    },
  );

  test("immutables that the constructor did not put there are not taken for its own", async () => {
    const program = keeper(release, "planted");
    const { creation } = await compile(release, program);
    const honest = await world.node.deploy(hexConcat(creation, ARGUMENTS));
    // The same code, the owner's address exchanged: left there by another constructor.
    const planted = honest.runtimeCode.replaceAll(OWNER.slice(2), "bad0".repeat(10)) as Hex;
    expect(hexLength(planted)).toBe(hexLength(honest.runtimeCode));
    const { address } = await world.node.deploy(initCodeOf(planted));
    const answer = await verifyStandard(release, address, program);
    // At most partial, and never as if the constructor of the source had run.
    expect(answer.contract.match).not.toBe("exact_match");
    expect(answer.contract.creationMatch).toBeNull();
    if (answer.contract.match !== null) {
      const { body } = await server.app.inject(
        `/sourcify/v2/contract/${TEST_CHAIN_ID}/${address}?fields=proof`,
      );
      expect(JSON.parse(body).proof.construction).not.toBe("compared");
    }
  });
});
