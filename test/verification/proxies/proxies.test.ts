import { readFileSync } from "node:fs";
import { type Abi, encodeDeployData, encodeFunctionData } from "viem";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { StateRead, StorageQuery } from "../../../src/chain/questions.ts";
import { ChainError } from "../../../src/core/errors.ts";
import { type Address, wordOfAddress } from "../../../src/core/evm/address.ts";
import type { Hex } from "../../../src/core/evm/hex.ts";
import { getProxy } from "../../../src/store/contracts/proxies.ts";
import { listMethodNames } from "../../../src/store/contracts/verified/method-names.ts";
import { isFullyVerified } from "../../../src/store/contracts/verified/verified-contract.ts";
import { getServedHead } from "../../../src/store/sync-state.ts";
import { verifyProxy } from "../../../src/verification/proxies/proxies.ts";
import { detectProxy, type ProxyReader } from "../../../src/verification/proxies/proxy.ts";
import type { Verifier } from "../../../src/verification/verifier.ts";
import { addressAt, wordAt } from "../../support/build.ts";
import { compileStandardJson } from "../compile.ts";
import { initCodeOf } from "../deployment.ts";
import { withImports } from "../openzeppelin.ts";
import { startWorld, type World } from "../world.ts";

interface Compiled {
  abi: Abi;
  evm: { bytecode: { object: string } };
}

const FILE = "src/proxies.sol";
const TEXT = readFileSync(new URL("../../fixtures/proxies.sol", import.meta.url), "utf8");
const SETTINGS = { optimizer: { enabled: true, runs: 200 } };
const SOURCES = withImports(FILE, TEXT);
/** Runtime code of the Safe's proxy 1.3.0. */
const SAFE_PROXY =
  "0x608060405273ffffffffffffffffffffffffffffffffffffffff600054167fa619486e0000000000000000000000000000000000000000000000000000000060003514156050578060005260206000f35b3660008037600080366000845af43d6000803e60008114156070573d6000fd5b3d6000f3fea2646970667358221220d1429297349653a4918076d650332de1a1068c5f3e07c5c82360c277770b955264736f6c63430007060033";
const POLL = { timeout: 30_000 };

let world: World;
let contracts: Record<string, Compiled>;
let one: Address;
let two: Address;

beforeAll(async () => {
  world = await startWorld();
  const outputSelection = { "*": { "*": ["abi", "evm.bytecode.object"] } };
  const output = (await compileStandardJson({
    language: "Solidity",
    sources: SOURCES,
    settings: { ...SETTINGS, outputSelection },
  })) as { contracts: Record<string, Record<string, Compiled>> };
  contracts = Object.assign({}, ...Object.values(output.contracts));
  [one, two] = [await deploy("LogicOne"), await deploy("LogicTwo")];
});

afterAll(() => world.stop());

function compiled(name: string): Compiled {
  const found = contracts[name];
  if (found === undefined) throw new Error(`${name} was not compiled`);
  return found;
}

async function deploy(name: string, ...args: unknown[]): Promise<Address> {
  const { abi, evm } = compiled(name);
  const bytecode: Hex = `0x${evm.bytecode.object}`;
  const initCode = encodeDeployData({ abi, bytecode, args });
  return (await world.node.deploy(initCode)).address;
}

function send(to: Address, name: string, functionName: string, args: unknown[]) {
  const data = encodeFunctionData({ abi: compiled(name).abi, functionName, args });
  return world.node.send({ to, data });
}

const NOBODY = proxy("unknown", []);

/** Puts code at an empty address. */
async function place(runtimeCode: Hex): Promise<Address> {
  return (await world.node.deploy(initCodeOf(runtimeCode))).address;
}

async function detect(address: Address) {
  const head = await world.chain.fetchHead();
  return detectProxy(world.chain, address, head);
}

function proxy(kind: string, implementations: Address[], more: object = {}) {
  return { kind, implementations, conflicts: [], beacon: null, ...more };
}

test("a minimal proxy holds its implementation, in either form and with arguments behind it", async () => {
  const factory = await deploy("CloneFactory");
  const clones: Address[] = [];
  const calls = { clone: [one], cloneWithArguments: [one, "0x1234"] };
  for (const [name, args] of Object.entries(calls)) {
    const { logs } = await send(factory, "CloneFactory", name, args);
    clones.push(`0x${logs[0]?.data.slice(-40)}`);
  }
  const optimised = await place(
    `0x3d3d3d3d363d3d37363d73${one.slice(2)}5af43d3d93803e602a57fd5bf3`,
  );
  const wada = await place(
    `0x3d3d3d3d363d3d376100046037363936610004013d73${one.slice(2)}5af43d3d93803e603557fd5bf3beef0002`,
  );
  const [plain = "0x", withArguments = "0x"] = clones;
  for (const code of [
    `365f5f375f5f365f73${one.slice(2)}5af43d5f5f3e5f3d91602a57fd5bf3`,
    `5f5f365f5f37365f73${one.slice(2)}5af43d5f5f3e6029573d5ffd5b3d5ff3`,
    // Of Uniswap's first version, and of Curve: they return 4,096 bytes.
    `366000600037611000600036600073${one.slice(2)}5af41558576110006000f3`,
    `366000600037611000600036600073${one.slice(2)}5af4602c57600080fd5b6110006000f3`,
    `36603057343d52307f830d2d700a97af574b186c80d40429385d24241565b08a7c559ba283a964d9b160203da23d3df35b3d3d3d3d363d3d37363d73${one.slice(2)}5af43d3d93803e605b57fd5bf3`,
  ]) {
    expect(await detectWorking(code)).toEqual(proxy("eip1167", [one]));
  }
  expect(await detect(plain)).toEqual(proxy("eip1167", [one]));
  expect(await detect(withArguments)).toEqual(proxy("clone_with_immutable_arguments", [one]));
  expect(await detect(optimised)).toEqual(proxy("eip1167", [one]));
  expect(await detect(wada)).toEqual(proxy("clone_with_immutable_arguments", [one]));
});

/** Detects code that calls like the logic: a successful call shows that the code is right. */
async function detectWorking(code: string) {
  const address = await place(`0x${code}`);
  const data = encodeFunctionData({ abi: compiled("LogicOne").abi, functionName: "version" });
  const [answer, own] = await Promise.all(
    [address, one].map((to) => world.node.request<Hex>("eth_call", { to, data }, "latest")),
  );
  expect(answer?.slice(0, own?.length)).toBe(own);
  return await detect(address);
}

test("clones with arguments, of the libraries that make them", async () => {
  const receive = "57343d527f9e4ac34f21c619cefc926c8bd93b54bf5a39c7ab2127a895af1cc0691d7e3dff";
  const logic = one.slice(2);
  for (const code of [
    // Sudoswap, ClonesWithImmutableArgs before, Solady, Splits.
    `3d3d3d3d363d3d37605160353639366051013d73${logic}5af43d3d93803e603357fd5bf3${"ab".repeat(81)}`,
    `363d3d37610002603836393d3d3d36610002013d73${logic}5af43d82803e903d91603657fd5bf3beef`,
    `36602c${receive}593da1005b363d3d373d3d3d3d610004806062363936013d73${logic}5af43d3d93803e606057fd5bf3beef0004`,
    `36602f${receive}60203da13d3df35b3d3d3d3d363d3d376100046067363936610004013d73${logic}5af43d3d93803e606557fd5bf3beef0004`,
  ]) {
    expect(await detectWorking(code)).toEqual(proxy("clone_with_immutable_arguments", [one]));
  }
});

test("a minimal proxy of an address that begins with zeros pushes fewer bytes", async () => {
  const logic: Address = "0x0000000000a77ac01234567890abcdef12345678";
  const code = await world.node.request<Hex>("eth_getCode", one, "latest");
  await world.node.request("anvil_setCode", logic, code);
  const pushed = `6e${logic.slice(12)}`;
  for (const short of [
    `363d3d373d3d3d363d${pushed}5af43d82803e903d91602657fd5bf3`,
    `3d3d3d3d363d3d37363d${pushed}5af43d3d93803e602557fd5bf3`,
  ]) {
    expect(await detectWorking(short)).toEqual(proxy("eip1167", [logic]));
  }
  // It jumps elsewhere.
  const other = await place(`0x363d3d373d3d3d363d${pushed}5af43d82803e903d91602b57fd5bf3`);
  expect(await detect(other)).toEqual(NOBODY);
});

test("a clone that drops the implementation it names, and calls another one, is none", async () => {
  const dropped = `5073${two.slice(2)}5af43d3d93803e604b57fd5bf3`;
  const address = await place(
    `0x3d3d3d3d363d3d376100046037363936610004013d73${one.slice(2)}${dropped}`,
  );
  expect(await detect(address)).toEqual(NOBODY);
});

test("a delegated account delegates", async () => {
  const account = addressAt(8);
  await world.node.request("anvil_setCode", account, `0xef0100${one.slice(2)}`);
  expect(await detect(account)).toEqual(proxy("eip7702", [one]));
});

test("the standard slots: logic, proxiable, beacon, OpenZeppelin's old one", async () => {
  const uups = await deploy("ERC1967Proxy", one, "0x");
  expect(await detect(uups)).toEqual(proxy("eip1967", [one]));
  const transparent = await deploy("TransparentUpgradeableProxy", one, addressAt(1), "0x");
  expect(await detect(transparent)).toEqual(proxy("eip1967", [one]));
  const beacon = await deploy("UpgradeableBeacon", one, addressAt(1));
  const beaconProxy = await deploy("BeaconProxy", beacon, "0x");
  expect(await detect(beaconProxy)).toEqual(proxy("eip1967_beacon", [one], { beacon }));
  const proxiable = "0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7";
  expect(await detect(await deploy("SlotProxy", proxiable, one))).toEqual(proxy("eip1822", [one]));
  const old = "0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3";
  expect(await detect(await deploy("SlotProxy", old, one))).toEqual(proxy("eip1967_oz", [one]));
});

test("a Safe, a diamond, getters, and a name that is resolved", async () => {
  const safe = await place(SAFE_PROXY);
  await world.node.request("anvil_setStorageAt", safe, wordAt(0), wordOfAddress(one));
  expect(await detect(safe)).toEqual(proxy("master_copy", [one]));
  expect(await detect(await deploy("OptimizedSafeProxy", one))).toEqual(
    proxy("master_copy", [one]),
  );
  expect(await detect(await deploy("Diamond", [one, two, one, addressAt(0)]))).toEqual(
    proxy("eip2535", [one, two, addressAt(0)]),
  );
  expect(await detect(await deploy("GetterProxy", one))).toEqual(
    proxy("basic_implementation", [one]),
  );
  expect(await detect(await deploy("Comptroller", one))).toEqual(proxy("comptroller", [one]));
  const manager = await deploy("AddressManager");
  await send(manager, "AddressManager", "setAddress", ["OVM_L1CrossDomainMessenger", one]);
  const resolved = await deploy("ResolvedProxy", manager, "OVM_L1CrossDomainMessenger");
  expect(await detect(resolved)).toEqual(
    proxy("resolved_delegate_proxy", [one], { beacon: manager }),
  );
});

test("a getter counts where calls are delegated to what it names", async () => {
  for (const name of ["ProxyFactory", "Forwarder"]) {
    expect(await detect(await deploy(name, one))).toEqual(NOBODY);
  }
  expect(await detect(await deploy("Delegator", one))).toEqual(
    proxy("basic_implementation", [one]),
  );
});

const LOGIC_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";

test.each([
  LOGIC_SLOT,
  "0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7",
  "0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3",
  wordAt(0),
])(
  "a contract that delegates to another one than slot %s and its getters name is no proxy of that",
  async (slot) => {
    const conflicts = slot === wordAt(0) ? [] : [one];
    expect(await detect(await deploy("Liar", slot, one, two))).toEqual({ ...NOBODY, conflicts });
    const honest = await detect(await deploy("Liar", slot, one, one));
    expect(honest?.implementations).toEqual([one]);
  },
);

test("a contract that names another one, and never delegates to it, is no proxy", async () => {
  const idle = await deploy("Idle", LOGIC_SLOT, one);
  expect(await detect(idle)).toEqual({ ...NOBODY, conflicts: [one] });
  const stopping = `0x003d3d3d3d363d3d37363d73${one.slice(2)}5af43d3d93803e602b57fd5bf3` as const;
  expect(await detect(await place(stopping))).toEqual({ ...NOBODY, conflicts: [one] });
});

test("a beacon that answers its proxy otherwise names nobody", async () => {
  const beacon = await deploy("LyingBeacon", one, two);
  expect(await detect(await deploy("BeaconProxy", beacon, "0x"))).toEqual({
    ...NOBODY,
    conflicts: [one],
    beacon,
  });
});

test.each<[string, Pick<ProxyReader, "runCreations">]>([
  ["refuses", { runCreations: () => Promise.reject(new ChainError("invalid-request", "")) }],
  [
    "passes over",
    {
      runCreations: (trials, block, overrides, options) => {
        const plain = trials.map(({ stateOverride: _, ...trial }) => trial);
        return world.chain.runCreations(plain, block, overrides, options);
      },
    },
  ],
])("a getter is believed where the node %s other code", async (_what, runner) => {
  const address = await deploy("ProxyFactory", one);
  const head = await world.chain.fetchHead();
  const found = await detectProxy({ ...world.chain, ...runner }, address, head);
  expect(found?.implementations).toEqual([one]);
});

test("whether calls are delegated is not guessed where the node does not answer", async () => {
  const runCreations = () => Promise.reject(new ChainError("timeout", ""));
  const address = await deploy("GetterProxy", one);
  const detected = detectProxy(
    { ...world.chain, runCreations },
    address,
    await world.chain.fetchHead(),
  );
  await expect(detected).rejects.toThrow(ChainError);
});

test("the first way of recognition wins, the others are kept as conflicts", async () => {
  const address = await deploy("ERC1967Proxy", one, "0x");
  const old = "0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3";
  await world.node.request("anvil_setStorageAt", address, old, wordOfAddress(two));
  expect(await detect(address)).toEqual(proxy("eip1967", [one], { conflicts: [two] }));
});

test("a word that is no address, an answer that is the proxy itself, and what never delegates do not count", async () => {
  const address = await deploy("SlotProxy", wordAt(99), one);
  expect(await detect(address)).toEqual(NOBODY);
  await world.node.request(
    "anvil_setStorageAt",
    address,
    LOGIC_SLOT,
    `0x01${one.slice(2).padStart(62, "0")}`,
  );
  expect(await detect(address)).toEqual(NOBODY);
  await world.node.request("anvil_setStorageAt", address, LOGIC_SLOT, wordOfAddress(address));
  expect(await detect(address)).toEqual(NOBODY);
  expect(await detect(await deploy("NoProxy"))).toBeNull();
  expect(await detect(addressAt(9))).toBeNull();
});

test("an implementation that is destroyed, or answers nothing, is nobody's", async () => {
  const beacon = await place("0x00");
  const address = await deploy("SlotProxy", wordAt(99), one);
  const slot = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50";
  await world.node.request("anvil_setStorageAt", address, slot, wordOfAddress(beacon));
  expect(await detect(address)).toEqual(proxy("unknown", [], { beacon }));
});

function start(): Verifier {
  const verifier = world.startVerifier();
  onTestFinished(() => verifier.close());
  return verifier;
}

async function verifyContract(verifier: Verifier, address: Address, name: string): Promise<void> {
  const path = Object.keys(SOURCES).find((file) => file.endsWith(`/${name}.sol`)) ?? FILE;
  const submission = await verifier.submit(
    {
      format: "standard-json",
      address,
      input: JSON.stringify({ language: "Solidity", sources: SOURCES, settings: SETTINGS }),
      name: `${path}:${name}`,
      compilerVersion: "0.8.37",
    },
    "somebody",
  );
  if (submission.outcome !== "accepted") throw new Error(submission.outcome);
  expect(await verifier.wait(submission.guid, 60_000)).toMatchObject({
    state: "passed",
    reason: null,
  });
  expect(await isFullyVerified(world.sql, address)).toBe(true);
}

async function implementationsOf(address: Address): Promise<Address[] | undefined> {
  return (await getProxy(world.sql, address))?.implementations;
}

test("a proxy that the node does not tell while it is verified is found soon after", async () => {
  const address = await deploy("ERC1967Proxy", one, "0x");
  let isSilent = true;
  const fetchStorage: StateRead<StorageQuery, Hex> = (...asked) =>
    isSilent
      ? Promise.reject(new ChainError("timeout", "silent"))
      : world.chain.fetchStorage(...asked);
  const verifier = world.startVerifier({ chain: { ...world.chain, fetchStorage } });
  onTestFinished(() => verifier.close());
  await verifyContract(verifier, address, "ERC1967Proxy");
  expect(await implementationsOf(address)).toBeUndefined();
  isSilent = false;
  await expect.poll(() => implementationsOf(address), POLL).toEqual([one]);
});

test("a proxy is found when it is verified, followed when it is upgraded, and lends its methods' names", async () => {
  const verifier = start();
  const address = await deploy("ERC1967Proxy", one, "0x");
  await verifyContract(verifier, address, "ERC1967Proxy");
  expect(await implementationsOf(address)).toEqual([one]);
  await verifyContract(verifier, two, "LogicTwo");
  await send(address, "LogicOne", "upgradeToAndCall", [two, "0x"]);
  await expect.poll(() => implementationsOf(address), POLL).toEqual([two]);
  const selector = encodeFunctionData({
    abi: compiled("LogicTwo").abi,
    functionName: "second",
    args: [1n, []],
  }).slice(0, 10) as Hex;
  expect(await listMethodNames(world.sql, [{ address, selector }])).toEqual([
    "second(uint256 number, address[] holders)",
  ]);
});

test("a transparent proxy, which creates its admin, is verified whole", async () => {
  const verifier = start();
  const [owner] = await world.node.request<Address[]>("eth_accounts");
  const address = await deploy("TransparentUpgradeableProxy", one, owner, "0x");
  await verifyContract(verifier, address, "TransparentUpgradeableProxy");
  expect(await implementationsOf(address)).toEqual([one]);
});

test("an upgrade of the beacon is followed", async () => {
  const verifier = start();
  const [owner] = await world.node.request<Address[]>("eth_accounts");
  const beacon = await deploy("UpgradeableBeacon", one, owner);
  const address = await deploy("BeaconProxy", beacon, "0x");
  await verifyContract(verifier, address, "BeaconProxy");
  expect(await implementationsOf(address)).toEqual([one]);
  await send(beacon, "UpgradeableBeacon", "upgradeTo", [two]);
  await expect.poll(() => implementationsOf(address), POLL).toEqual([two]);
});

test("a proxy that names nobody when it is verified is followed from its first upgrade", async () => {
  const verifier = start();
  const address = await deploy("LateProxy");
  await verifyContract(verifier, address, "LateProxy");
  expect(await implementationsOf(address)).toEqual([]);
  await send(address, "LateProxy", "upgradeTo", [one]);
  await expect.poll(() => implementationsOf(address), POLL).toEqual([one]);
});

test("a check answers at once, with what was expected or with nothing", async () => {
  const verifier = start();
  const address = await deploy("ERC1967Proxy", one, "0x");
  expect(await verifier.verifyProxy(address)).toEqual({ outcome: "not-verified" });
  await verifyContract(verifier, address, "ERC1967Proxy");
  const guids: string[] = [];
  const check = async (expected?: Address) => {
    const checked = await verifier.verifyProxy(address, { expected });
    if (checked.outcome !== "checked") throw new Error(checked.outcome);
    guids.push(checked.guid);
    return (await verifier.proxyStatus(checked.guid))?.implementations;
  };
  expect(await check()).toEqual([one]);
  expect(await check(one)).toEqual([one]);
  expect(await check(two)).toEqual([]);
  const [first, again, other] = guids;
  expect(again).toBe(first);
  expect(other).not.toBe(first);
  const plain = await deploy("NoProxy");
  await verifyContract(verifier, plain, "NoProxy");
  expect(await verifier.verifyProxy(plain)).toMatchObject({ outcome: "checked" });
  expect(await implementationsOf(plain)).toBeUndefined();
});

test("a check reads in the name of who asked for it", async () => {
  const address = await deploy("ERC1967Proxy", one, "0x");
  await verifyContract(start(), address, "ERC1967Proxy");
  const callers = new Set<string | undefined>();
  const noting =
    <Question, Answer>(read: StateRead<Question, Answer>): StateRead<Question, Answer> =>
    (questions, block, ask) => {
      callers.add(ask?.caller);
      return read(questions, block, ask);
    };
  const { fetchCodes, fetchStorage, fetchCalls } = world.chain;
  const chain = {
    ...world.chain,
    fetchCodes: noting(fetchCodes),
    fetchStorage: noting(fetchStorage),
    fetchCalls: noting(fetchCalls),
  };
  await verifyProxy({ sql: world.sql, chain }, address, { asker: { caller: "somebody" } });
  expect([...callers]).toEqual(["somebody"]);
});

test("what was read at a block that is gone does not show", async () => {
  const verifier = start();
  const address = await deploy("ERC1967Proxy", one, "0x");
  await verifyContract(verifier, address, "ERC1967Proxy");
  const head = await getServedHead(world.sql);
  await world.sql`UPDATE proxies SET block_hash = ${wordAt(1)} WHERE address = ${address}`;
  expect(await implementationsOf(address)).toBeUndefined();
  await expect.poll(() => implementationsOf(address), POLL).toEqual([one]);
  expect(await getProxy(world.sql, address)).toMatchObject({ blockHash: head?.hash });
});
