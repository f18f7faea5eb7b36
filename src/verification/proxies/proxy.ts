import { randomBytes } from "node:crypto";
import { encodeFunctionData, keccak256, parseAbi } from "viem/utils";
import type { Chain } from "../../chain/chain.ts";
import type { ChainErrorCode } from "../../chain/errors/codes.ts";
import type { BlockReference } from "../../chain/questions.ts";
import { decodeUint } from "../../chain/state/abi.ts";
import type { StateReader } from "../../chain/state/state.ts";
import { ChainError } from "../../core/errors.ts";
import {
  type Address,
  addressOfWord,
  wordOfAddress,
  ZERO_ADDRESS,
} from "../../core/evm/address.ts";
import {
  type Hex,
  hexConcat,
  hexFromBytes,
  hexLength,
  hexToBytes,
  wordAt,
  wordOf,
} from "../../core/evm/hex.ts";
import type { ProxyRow } from "../../store/contracts/proxies.ts";
import { walkInstructions } from "../match/code/instructions.ts";
import { readCodeMetadata } from "../match/metadata/metadata.ts";

/** The pattern of a proxy, in the reference's words. */
type ProxyKind =
  | "eip1167"
  | "eip7702"
  | "master_copy"
  | "clone_with_immutable_arguments"
  | "resolved_delegate_proxy"
  | "eip1967"
  | "eip1822"
  | "eip1967_beacon"
  | "eip2535"
  | "eip1967_oz"
  | "basic_implementation"
  | "basic_get_implementation"
  | "comptroller"
  /** The code can delegate, but no implementation was found. */
  | "unknown";

/** A contract's proxy target. */
export interface DetectedProxy extends Pick<ProxyRow, "implementations" | "conflicts" | "beacon"> {
  kind: ProxyKind;
}

export type ProxyReader = Pick<StateReader, "fetchCodes" | "fetchStorage" | "fetchCalls"> &
  Pick<Chain, "runCreations">;

/**
 * Detects a proxy at one block; null when the address never delegates. A pattern of the code
 * decides alone. Otherwise the generic patterns are read in one batch, and the first with an
 * address wins. Throws the reader's errors.
 */
export async function detectProxy(reader: ProxyReader, address: Address, block: BlockReference) {
  const [code] = await reader.fetchCodes([address], block);
  if (code === undefined || code === "0x") return null;
  const digits = withWholeAddress(code.slice(2));
  for (const { kind, pattern } of CODES) {
    const named = pattern.exec(digits)?.[1];
    if (named !== undefined) return found([{ kind, addresses: [`0x${named}`] }], address);
  }
  const executable = withoutMetadata(hexToBytes(code));
  if (!containsDelegateCall(executable)) return null;
  const answers = [minimalIn(code), ...(await readGeneric(reader, address, executable, block))];
  const tried = answers.map(async (answer) => {
    const isRun = await mayRun(reader, address, answer, block);
    return { ...answer, isRun };
  });
  return found(await Promise.all(tried), address);
}

/** Result of one pattern; without addresses it does not match. */
interface ProxyAnswer {
  kind: ProxyKind;
  addresses: Address[];
  beacon?: Address;
  /** False if calls of the contract do not run the implementation. */
  isRun?: boolean;
}

const MAX_FACETS = 100;

function found(answers: readonly ProxyAnswer[], self: Address): DetectedProxy {
  const usable = answers.map((answer) => ({
    ...answer,
    addresses: [...new Set(answer.addresses)]
      .filter((address) => address !== ZERO_ADDRESS && address !== self)
      .slice(0, MAX_FACETS),
  }));
  const first = usable.find(({ addresses, isRun }) => addresses.length > 0 && isRun !== false);
  const { kind, addresses: implementations }: ProxyAnswer = first ?? {
    kind: "unknown",
    addresses: [],
  };
  // Factories and beacons, too, have getters.
  const others = usable.filter((one) => one.isRun !== false || !(one.kind in GETTERS));
  const named = new Set(others.flatMap(({ addresses }) => addresses));
  const { beacon } = first ?? usable.find((answer) => answer.beacon !== undefined) ?? {};
  return {
    kind,
    implementations,
    conflicts: [...named].filter((address) => !implementations.includes(address)),
    beacon: beacon ?? null,
  };
}

const ADDRESS = "([0-9a-f]{40})";
/** Code of a clone that logs calls without input. */
const RECEIVE = "57343d527f9e4ac34f21c619cefc926c8bd93b54bf5a39c7ab2127a895af1cc0691d7e3dff";

/** Runtime codes that contain the implementation: EIP-1167 and its variants, EIP-7511, those of early vyper, EIP-7702. */
const CODES: readonly { kind: ProxyKind; pattern: RegExp }[] = Object.entries({
  eip1167: [
    `363d3d373d3d3d363d73${ADDRESS}5af43d82803e903d91602b57fd5bf3$`,
    `3d3d3d3d363d3d37363d73${ADDRESS}5af43d3d93803e602a57fd5bf3`,
    `365f5f375f5f365f73${ADDRESS}5af43d5f5f3e5f3d91602a57fd5bf3$`,
    `5f5f365f5f37365f73${ADDRESS}5af43d5f5f3e6029573d5ffd5b3d5ff3$`,
    `366000600037611000600036600073${ADDRESS}5af4(?:1558576110006000f3|602c57600080fd5b6110006000f3)$`,
  ],
  eip7702: [`ef0100${ADDRESS}$`],
  clone_with_immutable_arguments: [
    `3d3d3d3d363d3d3761.{4}603736393661.{4}013d73${ADDRESS}5af43d3d93803e603557fd5bf3`,
    `3d3d3d3d363d3d37605160353639366051013d73${ADDRESS}5af43d3d93803e603357fd5bf3`,
    `363d3d3761.{4}603836393d3d3d3661.{4}013d73${ADDRESS}5af43d82803e903d91603657fd5bf3`,
    `36602c${RECEIVE}593da1005b363d3d373d3d3d3d61.{4}806062363936013d73${ADDRESS}5af43d3d93803e606057fd5bf3`,
    `36602f${RECEIVE}60203da13d3df35b3d3d3d3d363d3d3761.{4}606736393661.{4}013d73${ADDRESS}5af43d3d93803e606557fd5bf3`,
    `363d3d373d3d3d363d73${ADDRESS}5af43d82803e903d91602b57fd5bf3`,
  ],
} satisfies Partial<Record<ProxyKind, readonly string[]>>).flatMap(([kind, codes]) =>
  codes.map((code) => ({ kind: kind as ProxyKind, pattern: new RegExp(`^${code}`) })),
);
const MINIMAL = new RegExp(`3d3d3d3d363d3d37363d73${ADDRESS}5af4`);
/** Offset of the pushed address, in bytes. */
const MINIMAL_PUSH = 10;
const MINIMAL_BYTES = 100;

/** EIP-1167 with a shorter push, for an address that begins with zeros; later bytes move forward. */
const SHORT =
  /^(363d3d373d3d3d363d|3d3d3d3d363d3d37363d)(6[0-9a-f]|7[0-2])([0-9a-f]{2,38})(5af43d(?:82803e903d91|3d93803e)60)([0-9a-f]{2})57fd5bf3$/;

/** Returns the code with all 20 bytes of the address; other code unchanged. */
function withWholeAddress(digits: string): string {
  const [, head, push = "", address = "", tail, place = ""] = SHORT.exec(digits) ?? [];
  const lacking = PUSH20 - Number.parseInt(push, 16);
  if (address.length !== 40 - 2 * lacking) return digits;
  const whole = Number.parseInt(place, 16) + lacking;
  return `${head}73${address.padStart(40, "0")}${tail}${whole.toString(16)}57fd5bf3`;
}

/** Returns the implementation of a minimal proxy with further code. */
function minimalIn(code: Hex): ProxyAnswer {
  const digits = withWholeAddress(code.slice(2));
  const minimal = hexLength(code) <= MINIMAL_BYTES ? MINIMAL.exec(digits) : null;
  const isNamed = minimal !== null && isOnlyWay(hexToBytes(code), minimal.index / 2);
  return { kind: "eip1167", addresses: isNamed ? [`0x${minimal[1]}`] : [] };
}

/** Returns whether the call of the minimal proxy at `offset` is the only one in the code; code after it could call another address. */
function isOnlyWay(code: Buffer, offset: number): boolean {
  const instructions = [...walkInstructions(code)];
  const isCall = ({ opcode }: { opcode: number }) => opcode === CALLCODE || opcode === DELEGATECALL;
  const first = instructions.findIndex(isCall);
  const isOnly = first === instructions.findLastIndex(isCall);
  return isOnly && instructions[first - 2]?.at === offset + MINIMAL_PUSH;
}

const CALLCODE = 0xf2;
const DELEGATECALL = 0xf4;
const PUSH20 = 0x73;

/** Removes the metadata: a hash may contain any opcode and any selector. */
function withoutMetadata(code: Buffer): Buffer {
  return code.subarray(0, code.length - (readCodeMetadata(code)?.bytes.length ?? 0));
}

function containsDelegateCall(code: Buffer): boolean {
  for (const { opcode } of walkInstructions(code)) if (opcode === DELEGATECALL) return true;
  return false;
}

const SLOTS = {
  eip1967: "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc",
  eip1822: "0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7",
  eip1967_beacon: "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50",
  eip1967_oz: "0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3",
} as const satisfies Partial<Record<ProxyKind, Hex>>;

const IMPLEMENTATION = "0x5c60da1b";
const FACET_ADDRESSES = "0x52ef6b2c";
const GETTERS = {
  basic_implementation: IMPLEMENTATION,
  basic_get_implementation: "0xaaf10f42",
  comptroller: "0xbb82aa5e",
  master_copy: "0xa619486e",
} as const satisfies Partial<Record<ProxyKind, Hex>>;

/** Reads the generic patterns, in order of precedence. */
async function readGeneric(
  reader: ProxyReader,
  address: Address,
  code: Buffer,
  block: BlockReference,
): Promise<ProxyAnswer[]> {
  const slots = [...Object.values(SLOTS), wordOf(0n)].map((slot) => ({ address, slot }));
  // In an optimized Safe proxy, the selector is the result of a sum.
  const getters = Object.entries(GETTERS).filter(
    ([kind, selector]) => kind === "master_copy" || code.includes(hexToBytes(selector)),
  );
  const calls = [FACET_ADDRESSES, ...getters.map(([, selector]) => selector)] as Hex[];
  const [[logic, proxiable, beacon, old, singleton], [facets, ...gotten], resolved] =
    await Promise.all([
      reader.fetchStorage(slots, block),
      reader.fetchCalls(
        calls.map((data) => ({ to: address, data })),
        block,
      ),
      readResolved(reader, address, code, block),
    ]);
  return [
    resolved,
    { kind: "eip1967", addresses: addressIn(logic) },
    { kind: "eip1822", addresses: addressIn(proxiable) },
    await readBeacon(reader, addressIn(beacon)[0], block),
    { kind: "eip2535", addresses: addressesIn(facets) },
    { kind: "eip1967_oz", addresses: addressIn(old) },
    ...getters.map(([kind], index) => {
      // The Safe's proxy stores it in the first slot.
      const isKept = kind !== "master_copy" || gotten[index] === singleton;
      return { kind: kind as ProxyKind, addresses: isKept ? addressIn(gotten[index]) : [] };
    }),
  ];
}

/** Stores the caller of a call without data; returns it to others. */
const WITNESS: Hex = "0x3660095733600055005b60005460005260206000f3";

/** Returns code that calls the witness, in the name of the contract that runs it. */
function callsWitness(witness: Address): Hex {
  return `0x6000600060006000600073${witness.slice(2)}5af100`;
}

/** Returns init code that calls contracts with a function's selector, and returns the callers that the witness saw after each. */
function buildProbe(witness: Address, selector: Hex, callees: readonly Address[]): Hex {
  const calls = callees.map((callee, index): Hex => {
    const asksWitness = `602060${2 * index + 2}06001600073${witness.slice(2)}5afa50`;
    return `0x600060006004601c600073${callee.slice(2)}620f4240f150${asksWitness}`;
  });
  return hexConcat(`0x63${selector.slice(2)}600052`, ...calls, "0x60406020f3");
}

/**
 * Returns whether a contract delegates calls of unknown functions to its named implementation,
 * unlike factories, beacons and contracts with a misleading slot. It runs other code in place of the
 * implementation's, with a new caller and function each time. True for a diamond, which delegates only
 * known functions, and if the node cannot override code.
 */
async function mayRun(
  reader: ProxyReader,
  address: Address,
  { kind, addresses: [implementation] }: ProxyAnswer,
  block: BlockReference,
): Promise<boolean> {
  if (implementation === undefined || kind === "eip2535") return true;
  const random = (size: number) => hexFromBytes(randomBytes(size));
  const [from, witness] = [random(20), random(20)];
  const initCode = buildProbe(witness, random(4), [implementation, address]);
  const stateOverride = {
    [implementation]: { code: callsWitness(witness) },
    [witness]: { code: WITNESS },
  };
  try {
    const trials = [{ from, initCode, value: 0n, stateOverride }];
    const [returned] = await reader.runCreations(trials, block);
    const [called, delegated] = [0, 1].map((index) => wordAt(returned ?? "0x", index));
    return called !== wordOfAddress(implementation) || delegated === wordOfAddress(address);
  } catch (error) {
    if (error instanceof ChainError && NO_OVERRIDES.has(error.code)) return true;
    throw error;
  }
}

/** Errors of a node that refuses other code, or cannot run it. */
const NO_OVERRIDES: ReadonlySet<string> = new Set<ChainErrorCode>([
  "invalid-request",
  "method-missing",
  "bad-answer",
  "node-error",
]);

async function readBeacon(
  reader: ProxyReader,
  beacon: Address | undefined,
  block: BlockReference,
): Promise<ProxyAnswer> {
  if (beacon === undefined) return { kind: "eip1967_beacon", addresses: [] };
  const [answer] = await reader.fetchCalls([{ to: beacon, data: IMPLEMENTATION }], block);
  return { kind: "eip1967_beacon", addresses: addressIn(answer), beacon };
}

const GET_ADDRESS = parseAbi(["function getAddress(string name) view returns (address)"]);
const GET_ADDRESS_SELECTOR = Buffer.from("bf40fac1", "hex");

/** OP stack's ResolvedDelegateProxy: mappings by its address hold manager and name; the manager resolves the name. */
async function readResolved(
  reader: ProxyReader,
  address: Address,
  code: Buffer,
  block: BlockReference,
): Promise<ProxyAnswer> {
  const nothing: ProxyAnswer = { kind: "resolved_delegate_proxy", addresses: [] };
  if (!code.includes(GET_ADDRESS_SELECTOR)) return nothing;
  const slot = (index: bigint) => keccak256(hexConcat(wordOfAddress(address), wordOf(index)));
  const [word, manager] = await reader.fetchStorage(
    [0n, 1n].map((index) => ({ address, slot: slot(index) })),
    block,
  );
  const [beacon] = addressIn(manager);
  const name = shortTextIn(word);
  if (beacon === undefined || name === undefined) return nothing;
  const data = encodeFunctionData({ abi: GET_ADDRESS, args: [name] });
  const [answer] = await reader.fetchCalls([{ to: beacon, data }], block);
  return { ...nothing, addresses: addressIn(answer), beacon };
}

/** Decodes text of at most 31 bytes from Solidity's storage: the bytes, and twice their number in the last one. */
function shortTextIn(word: Hex | undefined): string | undefined {
  const bytes = hexToBytes(word ?? "0x");
  const size = bytes[31] ?? 1;
  if (bytes.length !== 32 || size % 2 !== 0 || size === 0 || size > 62) return undefined;
  return bytes.subarray(0, size / 2).toString("utf8");
}

/** Returns the address in a word whose upper 12 bytes are zero; none for anything else, and for zero. */
function addressIn(word: Hex | null | undefined): Address[] {
  if (word == null || hexLength(word) !== 32 || !/^0x0{24}/.test(word)) return [];
  const address = addressOfWord(word);
  return address === ZERO_ADDRESS ? [] : [address];
}

/** Returns the first addresses of an encoded list: a contract may answer with a million. */
function addressesIn(data: Hex | null | undefined): Address[] {
  if (data == null || wordAt(data, 0) !== wordOf(32n)) return [];
  const count = decodeUint(wordAt(data, 1));
  if (count === null || 64n + 32n * count > hexLength(data)) return [];
  const size = Math.min(Number(count), MAX_FACETS);
  return Array.from({ length: size }, (_, index) => addressIn(wordAt(data, 2 + index))).flat();
}
