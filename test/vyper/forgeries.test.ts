import { encodeAbiParameters, encodeFunctionData, parseAbi, toFunctionSelector } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Address } from "../../src/core/evm/address.ts";
import { type Hex, hexConcat } from "../../src/core/evm/hex.ts";
import { compareReleases } from "../../src/verification/compilers/versions.ts";
import { TEST_CHAIN_ID } from "../support/app.ts";
import { initCodeOf } from "../verification/deployment.ts";
import { copier, keeper, mainOf, type Program, plain, sourcesOf } from "./programs.ts";
import { startService } from "./service.ts";

// Other code, arguments and immutables than the source's, by what Vyper has to create contracts with; each with an honest twin.

/** Without and with sizes behind the creation code, and with the integrity hash. */
const RELEASES = ["0.3.7", "0.3.10", "0.4.3"];
const OWNER: Address = "0x00000000000000000000000000000000000a11ce";
const ARGUMENTS = encodeAbiParameters(
  [{ type: "uint256" }, { type: "string" }, { type: "address" }],
  [1000n, "kept", OWNER],
);
const CREATE2_DEPLOYER: Address = "0x4e59b44847b379578588920ca78fbf26c0b4956c";
const word = (value: number | bigint) => value.toString(16).padStart(64, "0");
const COPY = parseAbi(["function copy(address target)"]);
const RAW = parseAbi(["function make(address target, bytes arguments)"]);
const CREATE = parseAbi(["function make(bytes code)"]);
const since = (release: string, first: string) => compareReleases(release, first) >= 0;
const header = (release: string) => `# @version ${release}\n`;
const ctor = (release: string) => (since(release, "0.4.0") ? "@deploy" : "@external");

let service: Awaited<ReturnType<typeof startService>>;
let { world, verifier, server, versions, compileInput } = {} as typeof service;

beforeAll(async () => {
  service = await startService();
  ({ world, verifier, server, versions, compileInput } = service);
});
afterAll(() => service?.stop());

const inputOf = (program: Program, settings: object = {}) => ({
  language: "Vyper",
  sources: sourcesOf(program),
  settings,
});
const compile = (release: string, program: Program, settings = {}) =>
  compileInput(release, program, inputOf(program, settings));
async function verify(release: string, address: Address, program: Program, settings = {}) {
  const response = await server.app.inject({
    method: "POST",
    url: `/sourcify/v2/verify/${TEST_CHAIN_ID}/${address}`,
    headers: { "content-type": "application/json" },
    payload: JSON.stringify({
      stdJsonInput: inputOf(program, settings),
      compilerVersion: versions.get(release)?.slice(1),
      contractIdentifier: `${mainOf(program)}:${program.name}`,
    }),
  });
  const { verificationId } = response.json();
  if (verificationId === undefined) throw new Error(response.body);
  await verifier.wait(verificationId, 100_000);
  const { contract, error } = (
    await server.app.inject(`/sourcify/v2/verify/${verificationId}`)
  ).json();
  return { match: contract.match, creation: contract.creationMatch, why: error?.message ?? "" };
}
/** The level that is reached with arguments in the request. */
async function verifyWith(release: string, address: Address, program: Program, given: Hex) {
  const submitted = await server.app.inject({
    method: "POST",
    url: "/api?module=contract&action=verifysourcecode",
    headers: { "content-type": "application/json" },
    payload: JSON.stringify({
      contractaddress: address,
      codeformat: "vyper-json",
      sourceCode: JSON.stringify(inputOf(program)),
      contractname: `${mainOf(program)}:${program.name}`,
      compilerversion: `vyper:${versions.get(release)?.slice(1)}`,
      constructorArguements: given.slice(2),
    }),
  });
  await verifier.wait(submitted.json().result, 60_000);
  const shown = await server.app.inject(`/sourcify/v2/contract/${TEST_CHAIN_ID}/${address}`);
  return shown.json().match;
}

async function madeBy(factory: Address, data: Hex): Promise<Address> {
  await world.node.send({ to: factory, data });
  const made = await world.node.request<Hex>(
    "eth_call",
    { to: factory, data: toFunctionSelector("made()") },
    "latest",
  );
  return `0x${made.slice(26)}`;
}
const best = (release: string) => (since(release, "0.4.1") ? "exact_match" : "match");
const put = async (code: Hex) => (await world.node.deploy(initCodeOf(code))).address;
const put2 = async (code: Hex) => (await world.node.deploy(initCodeOf(code), "create2")).address;
const deploy = async (code: Hex) => (await world.node.deploy(code)).address;
async function copyOf(release: string, target: Address) {
  const factory = await deploy((await compile(release, copier(release))).creation);
  return madeBy(factory, encodeFunctionData({ abi: COPY, args: [target] }));
}
const none = { match: null, creation: null };

/** Structs, lists and bytes as arguments. */
function lists(release: string): Program {
  const list = since(release, "0.3.2") ? "DynArray[uint256, 3]" : "uint256[1]";
  const check = since(release, "0.3.2") ? "    assert len(all_) > 0\n" : "";
  return {
    name: "Lists",
    source: `${header(release)}
struct Part:
    owner: address
    cap: uint256

PARTS: immutable(${list})
CAP: immutable(uint256)
OWNER: immutable(address)
OPEN: immutable(bool)
LABEL: immutable(Bytes[40])

${ctor(release)}
def __init__(p: Part, all_: ${list}, data: Bytes[40], open: bool):
${check}    assert len(data) > 0
    PARTS = all_
    CAP = min(p.cap, 100)
    OWNER = p.owner
    OPEN = open
    LABEL = data

@external
@view
def cap() -> uint256:
    return CAP

@external
@view
def owned_by() -> address:
    return OWNER

@external
@view
def second() -> uint256:
    return PARTS[0]

@external
@view
def is_open() -> bool:
    return OPEN

@external
@view
def label() -> Bytes[40]:
    return LABEL
`,
  };
}

/** Reads the chain. */
function reader(release: string): Program {
  return {
    name: "Reader",
    source: `${header(release)}
START: immutable(uint256)
MAKER: immutable(address)
RICH: immutable(uint256)
SIZE: immutable(bool)

${ctor(release)}
@payable
def __init__():
    START = block.number
    MAKER = msg.sender
    RICH = self.balance + msg.value
    SIZE = msg.sender.is_contract

@external
@view
def start() -> uint256:
    return START

@external
@view
def made_by() -> address:
    return MAKER

@external
@view
def rich() -> uint256:
    return RICH

@external
@view
def size() -> bool:
    return SIZE
`,
  };
}

describe.each(RELEASES)("vyper %s", (release) => {
  test.runIf(since(release, "0.3.8"))("raw arguments of a blueprint", async () => {
    const program = keeper(release, "raw arguments");
    const { creation } = await compile(release, program);
    const blueprint = await put(hexConcat("0xfe7100", creation));
    const make: Program = {
      name: "Raw",
      source: `${header(release)}
made: public(address)

@external
def make(target: address, args_: Bytes[1024]):
    self.made = create_from_blueprint(target, args_, raw_args=True, code_offset=3)
`,
    };
    const factory = await deploy((await compile(release, make)).creation);
    const made = (args: Hex) =>
      madeBy(factory, encodeFunctionData({ abi: RAW, args: [blueprint, args] }));
    expect(await verify(release, await made(ARGUMENTS), program)).toEqual({
      match: best(release),
      creation: best(release),
      why: "",
    });
    const longer = await verify(release, await made(hexConcat(ARGUMENTS, `0x${word(7)}`)), program);
    expect(longer).toMatchObject({ match: "match", creation: null });
    expect(await verify(release, blueprint, program)).toMatchObject({ why: "" });
  });

  test("blueprints with forged preambles and ends", async () => {
    const program = keeper(release, "preambles");
    const { creation } = await compile(release, program);
    const { creation: evil } = await compile(release, keeper(release, "evil", "top * 9"));
    const codes: Hex[] = [
      hexConcat("0xfe7100", creation, "0x00"),
      hexConcat("0xfe7100", creation, evil),
      hexConcat("0xfe7100", evil),
      hexConcat("0xfe7101", "0x01aa", creation),
      hexConcat("0xfe7103", creation),
      hexConcat("0xfe71", creation),
      hexConcat("0xfe7100fe7100", creation),
      hexConcat("0xfe7100", creation, ARGUMENTS),
      hexConcat("0x5b7100", creation),
      hexConcat("0xfe7100", creation.slice(0, -2) as Hex),
    ];
    for (const code of codes) {
      const answer = await verify(release, await put(code), program);
      expect(answer, code.slice(0, 30)).toMatchObject(none);
    }
    expect(
      await verify(release, await put(hexConcat("0xfe7100", creation)), program),
    ).toMatchObject({ match: best(release) });
  });

  test("an offset into a blueprint of two", async () => {
    if (!since(release, "0.3.4")) return;
    const program = plain(release, "offset");
    const evilOne = { ...program, source: program.source.replace("+= amount", "+= 2 * amount") };
    const [{ creation }, { creation: evil }] = [
      await compile(release, program),
      await compile(release, evilOne),
    ];
    const offset = (creation.length - 2) / 2 + 3;
    const make: Program = {
      name: "Raw",
      source: `${header(release)}
made: public(address)

@external
def make(target: address, start: uint256):
    self.made = create_from_blueprint(target, code_offset=start)
`,
    };
    const factory = await deploy((await compile(release, make)).creation);
    const both = await put(hexConcat("0xfe7100", creation, evil));
    const made = (start: number) =>
      madeBy(
        factory,
        encodeFunctionData({
          abi: parseAbi(["function make(address target, uint256 start)"]),
          args: [both, BigInt(start)],
        }),
      );
    expect(await verify(release, await made(offset), program)).toMatchObject(none);
    expect(await verify(release, await made(offset), evilOne)).toMatchObject({
      match: best(release),
    });
    // Other code follows the init code of the first, which takes it for arguments.
    expect(await verify(release, await made(3), program)).toMatchObject({
      match: "match",
      creation: null,
    });
  });

  test("copies, proxies", async () => {
    const program = keeper(release, "copies", "min(top, 100)");
    const { creation } = await compile(release, program);
    const honest = await world.node.deploy(hexConcat(creation, ARGUMENTS));
    const forged = honest.runtimeCode.replace(word(100), word(9000)) as Hex;
    if (!since(release, "0.3.4")) return;
    expect(await verify(release, await copyOf(release, honest.address), program)).toMatchObject({
      match: "match",
    });
    expect(await verify(release, await copyOf(release, await put(forged)), program)).toMatchObject(
      none,
    );
    const proxies: Program = {
      name: "Proxies",
      source: `${header(release)}
made: public(address)

@external
def copy(target: address):
    self.made = create_minimal_proxy_to(target)
`,
    };
    const factory = await deploy((await compile(release, proxies)).creation);
    const proxy = await madeBy(factory, encodeFunctionData({ abi: COPY, args: [honest.address] }));
    expect(await verify(release, proxy, program)).toMatchObject(none);
  });

  test("structs, lists, bytes and bools", async () => {
    const program = lists(release);
    const { creation } = await compile(release, program);
    const list = since(release, "0.3.2") ? "uint256[]" : "uint256[1]";
    const given = encodeAbiParameters(
      [
        { type: "tuple", components: [{ type: "address" }, { type: "uint256" }] },
        { type: list },
        { type: "bytes" },
        { type: "bool" },
      ],
      [[OWNER, 9999n], [11n], "0x6b657074", true] as never,
    );
    const honest = await world.node.deploy(hexConcat(creation, given));
    expect(await verify(release, honest.address, program)).toMatchObject({ match: best(release) });
    const code = honest.runtimeCode;
    const forge = (find: string, by: string) => {
      const place = code.lastIndexOf(find);
      if (place < 0) throw new Error(find);
      return (code.slice(0, place) + by + code.slice(place + find.length)) as Hex;
    };
    // A text of no bytes, which the constructor refuses.
    const empty = forge(`${word(4)}6b657074${"0".repeat(56)}`, `${word(0)}${"0".repeat(64)}`);
    for (const forged of [forge(word(1), word(2)), empty, `${code}${word(0)}` as Hex]) {
      expect(await verify(release, await put(forged), program)).toMatchObject(none);
    }
    for (const way of [put, put2]) {
      const copy = await way(code);
      // Earlier releases do not name the immutables, of which arguments could be made up.
      if (since(release, "0.4.1")) {
        expect(await verify(release, copy, program)).toMatchObject({ match: "match" });
      } else expect(await verifyWith(release, copy, program, given)).toBe("match");
      const forged = await way(forge(word(100), word(9000)));
      expect(await verify(release, forged, program)).toMatchObject(none);
      expect(await verifyWith(release, forged, program, given)).toBeNull();
    }
  });

  test("a constructor that reads the chain", async () => {
    const program = reader(release);
    const { creation } = await compile(release, program);
    const honest = await world.node.deploy(creation);
    expect(await verify(release, honest.address, program)).toMatchObject({ match: best(release) });
    const body = honest.runtimeCode.slice(0, -64 * 4);
    const [from = "0x"] = await world.node.request<Address[]>("eth_accounts");
    expect(honest.runtimeCode.slice(body.length)).toContain(from.slice(2));
    const left = async (changed: Record<number, bigint>, way = put, maker = from, size = 0n) => {
      const next = BigInt(await world.node.request<Hex>("eth_blockNumber")) + 1n;
      const values = [next, BigInt(maker), 0n, size];
      const words = values.map((value, place) => word(changed[place] ?? value)).join("");
      return verify(release, await way(`${body}${words}` as Hex), program);
    };
    expect(await left({})).toMatchObject({ match: "match" });
    for (const changed of [{ 0: 9000n }, { 1: 0xbadn }, { 2: 9000n }, { 3: 1n }, { 3: 7n }]) {
      expect(await left(changed)).toMatchObject(none);
    }
    // Nothing runs where the code of the factory is as it was.
    expect(await left({}, put2, CREATE2_DEPLOYER, 1n)).toMatchObject(none);
    expect(await left({ 3: 0n }, put2, CREATE2_DEPLOYER, 1n)).toMatchObject(none);
  });

  test("code without metadata, and words behind it", async () => {
    const settings = since(release, "0.3.10") ? { bytecodeMetadata: false } : {};
    for (const program of [plain(release, "bare"), keeper(release, "bare", "min(top, 100)")]) {
      const { creation } = await compile(release, program, settings);
      const args = program.name === "Plain" ? "0x" : ARGUMENTS;
      const honest = await world.node.deploy(hexConcat(creation, args));
      expect(await verify(release, honest.address, program, settings)).toMatchObject({
        match: "match",
      });
      for (const tail of [word(0), word(7), `${word(0)}${word(1)}`]) {
        expect(
          await verify(
            release,
            await put(`${honest.runtimeCode}${tail}` as Hex),
            program,
            settings,
          ),
        ).toMatchObject(none);
      }
      const copy = await put(honest.runtimeCode);
      expect(await verify(release, copy, program, settings)).toMatchObject({ match: "match" });
      if (program.name === "Keeper") {
        const forged = honest.runtimeCode.replace(word(100), word(101)) as Hex;
        expect(await verify(release, await put(forged), program, settings)).toMatchObject(none);
      }
    }
  });

  test.runIf(since(release, "0.4.2"))("raw_create of forged init code", async () => {
    const program = keeper(release, "raw created", "min(top, 100)");
    const { creation } = await compile(release, program);
    const honest = await world.node.deploy(hexConcat(creation, ARGUMENTS));
    const forged = honest.runtimeCode.replace(word(100), word(9000)) as Hex;
    const factory = await deploy(
      (
        await compile(release, {
          name: "Raw",
          source: `${header(release)}
made: public(address)

@external
def make(code: Bytes[8192]):
    self.made = raw_create(code)
`,
        })
      ).creation,
    );
    const made = (code: Hex) => madeBy(factory, encodeFunctionData({ abi: CREATE, args: [code] }));
    expect(await verify(release, await made(initCodeOf(forged)), program)).toMatchObject(none);
    expect(
      await verify(release, await made(initCodeOf(honest.runtimeCode)), program),
    ).toMatchObject({ match: "match" });
    expect(
      await verify(release, await made(hexConcat(creation, ARGUMENTS)), program),
    ).toMatchObject({ match: "exact_match" });
  });

  test.runIf(since(release, "0.3.4"))("a child of the constructor in an immutable", async () => {
    const child = await put(
      hexConcat("0xfe7100", (await compile(release, plain(release, "child"))).creation),
    );
    const program: Program = {
      name: "Parent",
      source: `${header(release)}
CHILD: immutable(address)

${ctor(release)}
def __init__(target: address):
    CHILD = create_from_blueprint(target, code_offset=3)

@external
@view
def child() -> address:
    return CHILD
`,
    };
    const { creation } = await compile(release, program);
    const honest = await world.node.deploy(hexConcat(creation, `0x${word(BigInt(child))}`));
    expect(await verify(release, honest.address, program)).toMatchObject({ match: best(release) });
    const forged = `${honest.runtimeCode.slice(0, -64)}${word(0xbadn)}` as Hex;
    expect(await verify(release, await put(forged), program)).toMatchObject(none);
  });
});
