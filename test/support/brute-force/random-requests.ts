import type { Address, Hex } from "viem";
import type { Oracle } from "../oracle/oracle.ts";
import { USER_OPERATION } from "../world/events.ts";
import type { Random } from "../world/random.ts";
import { ANSWERERS } from "./answers.ts";
import { DAILY_SERIES } from "./daily-series.ts";
import type { LogFilter } from "./eth-logs.ts";
import { displayName } from "./token.ts";
import type { WireRequest } from "./wire.ts";

/** Draws requests that mostly find something, on the chain that the oracle read. */
export interface Draw {
  oracle: Oracle;
  random: Random;
  /** Tokens whose amounts only the contract knows: no request asks for them. */
  silentTokens: readonly string[];
}

type Parameters = Record<string, string>;

function mixedCase(hex: string, random: Random): string {
  return random.chance(0.2) ? `0x${hex.slice(2).toUpperCase()}` : hex;
}

/** An address in an entry of a trace, rolled back or not; null where there are none. */
function partOf({ internalTransactions }: Oracle, random: Random): Address | null {
  if (!internalTransactions || internalTransactions.length === 0) return null;
  const { from, to, created } = random.pick(internalTransactions);
  return to ?? created ?? from;
}

/** An address that took part; sometimes an unknown one, sometimes none at all. */
function address({ oracle, random }: Draw): string {
  if (random.chance(0.04))
    return random.pick(["", "0x", "0x12", `0X${"a".repeat(40)}`, ` 0x${"a".repeat(40)}`]);
  if (random.chance(0.05)) return random.bytes(20);
  const { transactions, transfers, creations } = oracle;
  const pools = [
    () => random.pick(transactions).from,
    () => random.pick(transactions).from,
    () => random.pick(transactions).to ?? `0x${"0".repeat(40)}`,
    () => random.pick([...oracle.addresses.keys()]),
    () => (transfers.length > 0 ? random.pick(transfers).to : random.pick(transactions).from),
    () => (creations.length > 0 ? random.pick(creations).address : random.pick(transactions).from),
    () => partOf(oracle, random) ?? random.pick(transactions).from,
  ];
  return mixedCase(random.pick(pools)(), random);
}

function token(draw: Draw, standard?: number): string {
  const { oracle, random, silentTokens } = draw;
  const tokens = [...oracle.tokens.values()]
    .filter((known) => standard === undefined || known.standard === standard)
    .map((known) => known.address)
    .filter((known) => !silentTokens.includes(known));
  return tokens.length === 0 || random.chance(0.08) ? address(draw) : random.pick(tokens);
}

function transactionHash({ oracle, random }: Draw): string {
  if (random.chance(0.04)) return random.pick(["", "0x", "0x1234", "hash"]);
  return random.chance(0.04)
    ? random.bytes(32)
    : mixedCase(random.pick(oracle.transactions).hash, random);
}

function blockNumber({ oracle, random }: Draw): string {
  const number = random.integer(oracle.head.number + 3);
  return random.pick([
    String(number),
    String(number),
    String(number),
    `+${number}`,
    String(number * 1000),
  ]);
}

/** Each of the entries with its probability. */
function some(
  random: Random,
  entries: Record<string, [probability: number, value: () => string]>,
): Parameters {
  const drawn: Parameters = {};
  for (const [name, [probability, value]] of Object.entries(entries)) {
    if (random.chance(probability)) drawn[name] = value();
  }
  return drawn;
}

function pages({ random }: Draw): Parameters {
  const small = (most: number) => (): string => String(1 + random.integer(most));
  const odd = (): string => random.pick(["0", "-1", "1.5", "x", "", "10001", "99999", "+2", "0x2"]);
  const either = (most: number) => (): string => (random.chance(0.15) ? odd() : small(most)());
  return some(random, { page: [0.4, either(3)], offset: [0.7, either(12)] });
}

function order({ random }: Draw): Parameters {
  return some(random, {
    sort: [0.7, () => random.pick(["asc", "desc", "asc", "desc", "ASC", ""])],
  });
}

function range(draw: Draw): Parameters {
  const { random } = draw;
  const bound = (): string =>
    random.chance(0.15)
      ? random.pick(["99999999999", "latest", "-1", "0x5", "2147483647", "2147483648"])
      : String(random.integer(draw.oracle.head.number + 1));
  const [first, last] = random.chance(0.2)
    ? ["startBlock", "endBlock"]
    : ["startblock", "endblock"];
  return some(random, { [first as string]: [0.2, bound], [last as string]: [0.2, bound] });
}

function times({ oracle, random }: Draw): Parameters {
  const time = (): string => String(random.pick(oracle.blocks).timestamp + random.integer(3) - 1);
  return some(random, { start_timestamp: [0.2, time], end_timestamp: [0.2, time] });
}

function side({ random }: Draw): Parameters {
  return some(random, { filter_by: [0.3, () => random.pick(["from", "to", "From", "both"])] });
}

/** The same with the two parties of one entry, now and then, instead of an address. */
function byParties(
  { oracle, random }: Draw,
  entries: readonly { from: Address; to: Address | null }[] | null,
  parameters: Parameters,
): Parameters {
  if (!entries || entries.length === 0 || !random.chance(0.3)) return parameters;
  const { address: _left, ...rest } = parameters;
  const { from, to } = random.pick(entries);
  const other = random.chance(0.6) ? to : random.pick(oracle.transactions).to;
  return {
    ...(random.chance(0.97) ? rest : parameters),
    ...some(random, {
      from: [0.8, () => (random.chance(0.03) ? "0x12" : mixedCase(from, random))],
      to: [0.8, () => (random.chance(0.03) ? "" : mixedCase(other ?? from, random))],
      fromto_opr: [0.95, () => random.pick(["and", "or", "AND", "Or", "or", "and", "xor"])],
    }),
  };
}

/** Lists of transfers: parties and token mostly of one that there was. */
function transfers(standard: number): (draw: Draw) => Parameters {
  return (draw) => {
    const { oracle, random } = draw;
    const known = oracle.transfers.filter((transfer) => transfer.standard === standard);
    const sample = known.length > 0 && random.chance(0.85) ? random.pick(known) : undefined;
    const by = some(random, {
      address: [0.7, () => (sample ? random.pick([sample.from, sample.to]) : address(draw))],
      contractaddress: [0.55, () => sample?.token ?? token(draw, standard)],
    });
    const list = { ...by, ...pages(draw), ...order(draw), ...range(draw) };
    return byParties(draw, known, list);
  };
}

function internalTransactions(draw: Draw): Parameters {
  const { random } = draw;
  const form = random.pick<() => Parameters>([
    () => ({ address: address(draw) }),
    () => ({ address: address(draw) }),
    () => ({ txhash: transactionHash(draw) }),
    () => ({}),
    () => ({ address: address(draw), txhash: transactionHash(draw) }),
  ])();
  const zero = some(random, {
    include_zero_value: [0.5, () => random.pick(["true", "TRUE", "false", "1"])],
    names: [0.2, () => random.pick(["true", "True", "no"])],
  });
  const list = { ...form, ...zero, ...pages(draw), ...order(draw), ...range(draw) };
  return byParties(draw, draw.oracle.internalTransactions, { ...list, ...side(draw) });
}

/** The beginning of a token's name or symbol, for the most part. */
function name({ oracle, random }: Draw): string {
  const names = [...oracle.tokens.values()].flatMap((known) =>
    [known.name, known.symbol].map((bytes) => [...(displayName(bytes) ?? "")]),
  );
  const drawn = names.length === 0 ? [] : random.pick(names);
  if (drawn.length === 0 || random.chance(0.1)) return random.pick(["%", "_", " ", "", "zzz"]);
  const start = drawn.slice(0, 1 + random.integer(drawn.length)).join("");
  return random.chance(0.3) ? start.toUpperCase() : start;
}

function operators(random: Random, parameters: Parameters): Parameters {
  const names = ["0_1", "0_2", "0_3", "1_2", "1_3", "2_3"].map((pair) => `topic${pair}_opr`);
  const wanted = names.filter((name) => {
    const [left, right] = [`topic${name[5]}`, `topic${name[7]}`];
    return (left in parameters && right in parameters) || random.chance(0.05);
  });
  const drawn = wanted
    .filter(() => random.chance(0.97))
    .map((name) => [name, random.chance(0.03) ? "AND" : random.pick(["and", "or", "or"])]);
  return Object.fromEntries(drawn) as Parameters;
}

function logs(draw: Draw): Parameters {
  const { oracle, random } = draw;
  const sample = random.pick(oracle.logs);
  const topicOf = (index: number) => (): string => {
    const other = random.pick(oracle.logs).topics[index];
    const found = random.chance(0.8) ? sample.topics[index] : other;
    return random.chance(0.01) ? "0xabc" : mixedCase(found ?? random.bytes(32), random);
  };
  const bound = (): string =>
    random.chance(0.1) ? random.pick(["latest", "-5", "0x1", ""]) : blockNumber(draw);
  const drawn = some(random, {
    fromBlock: [0.97, () => (random.chance(0.8) ? "0" : bound())],
    toBlock: [0.97, () => (random.chance(0.8) ? "latest" : bound())],
    address: [0.6, () => (random.chance(0.9) ? sample.address : address(draw))],
    topic0: [0.6, topicOf(0)],
    topic1: [0.35, topicOf(1)],
    topic2: [0.25, topicOf(2)],
    topic3: [0.15, topicOf(3)],
    newest_first: [0.3, () => random.pick(["true", "True", "false"])],
  });
  return { ...drawn, ...operators(random, drawn), ...pages(draw) };
}

function oneAddress(draw: Draw): Parameters {
  return draw.random.chance(0.97) ? { address: address(draw) } : {};
}

function severalAddresses(draw: Draw): Parameters {
  const count = 1 + draw.random.integer(5);
  const addresses = Array.from({ length: count }, () => address(draw));
  return { address: addresses.join(draw.random.pick([",", ", "])) };
}

function hash(draw: Draw): Parameters {
  return draw.random.chance(0.97) ? { txhash: transactionHash(draw) } : {};
}

/** A known holding, or any address with a token that keeps to its transfers: others may give balances to strangers. */
function tokenBalance(draw: Draw): Parameters {
  const { oracle, random, silentTokens } = draw;
  const known = oracle.holdings.filter((held) => !silentTokens.includes(held.token));
  if (known.length === 0) return {};
  const irregular = known.filter(({ balance, sum }) => balance !== sum).map((held) => held.token);
  const sample = random.pick(known);
  const isStrict = !irregular.includes(sample.token) && !oracle.tokensOfStrangers.has(sample.token);
  const isStranger = isStrict && random.chance(0.2);
  return some(random, {
    contractaddress: [0.97, () => mixedCase(sample.token, random)],
    address: [0.97, () => (isStranger ? address(draw) : sample.owner)],
  });
}

/** Ids of an ERC-721 token with a present or past owner. */
function inventory(draw: Draw): Parameters {
  const { oracle, random, silentTokens } = draw;
  const known = oracle.nftOwners.filter((owned) => !silentTokens.includes(owned.token));
  if (known.length === 0) return {};
  const sample = random.pick(known);
  return {
    ...some(random, {
      contractaddress: [0.97, () => mixedCase(sample.token, random)],
      address: [0.97, () => (random.chance(0.2) ? address(draw) : sample.owner)],
    }),
    ...pages(draw),
  };
}

/** A block of the past, with its state. */
function pastBlock({ oracle, random }: Draw): Parameters {
  const number = random.integer(oracle.head.number + 1);
  return some(random, {
    blockno: [0.97, () => random.pick([String(number), String(number), "99999999", "-1", "x"])],
  });
}

/** A price about those that were paid. */
function gasPrice({ oracle, random }: Draw): Parameters {
  const paid = random.pick(oracle.transactions).gasPrice;
  const prices = [paid, paid + 1n, paid / 3n + 1n, 1n].map(String);
  return some(random, {
    gasprice: [0.9, () => random.pick([...prices, "0", "-1", "0x1", "x", ""])],
  });
}

/** Days about those of the chain. */
function days({ oracle, random }: Draw): Parameters {
  const [first, last] = [-1, 1].map((way) => {
    const { timestamp } = random.pick(oracle.blocks);
    const time = timestamp + way * random.integer(3) * 86_400;
    return new Date(time * 1000).toISOString().slice(0, random.chance(0.95) ? 10 : 8);
  });
  return some(random, {
    startdate: [0.97, () => first as string],
    enddate: [0.97, () => last as string],
    sort: [0.5, () => random.pick(["asc", "desc", "x"])],
  });
}

/** The parts of a user operation's log, or of a malformed one. */
function operation({ oracle, random }: Draw) {
  const logs = oracle.logs.filter(({ topics }) => topics[0] === USER_OPERATION);
  if (logs.length === 0 || random.chance(0.1)) return undefined;
  const { topics, address: entryPoint, blockNumber: number, transactionIndex } = random.pick(logs);
  const transaction = oracle.transactions.find(
    (each) => each.blockNumber === number && each.transactionIndex === transactionIndex,
  );
  const parties = [topics[2], topics[3]].flatMap((topic) => topic?.replace(/^0x0{24}/, "0x") ?? []);
  const party = random.pick([...parties, transaction?.from ?? ""]);
  return { hash: topics[1], party, entryPoint, transaction: transaction?.hash };
}

const PARAMETERS: Readonly<Record<keyof typeof ANSWERERS, (draw: Draw) => Parameters>> = {
  "account/txlist": (draw) => {
    const list = { ...oneAddress(draw), ...pages(draw), ...order(draw), ...range(draw) };
    return byParties(draw, draw.oracle.transactions, { ...list, ...times(draw), ...side(draw) });
  },
  "gastracker/gasoracle": () => ({}),
  "gastracker/gasestimate": (draw) => gasPrice(draw),
  "account/txlistinternal": internalTransactions,
  "account/tokentx": transfers(20),
  "account/tokennfttx": transfers(721),
  "account/token1155tx": transfers(1155),
  "account/token404tx": transfers(404),
  "account/balance": oneAddress,
  "account/balancemulti": severalAddresses,
  "account/eth_get_balance": (draw) => ({
    ...oneAddress(draw),
    ...some(draw.random, {
      block: [0.3, () => draw.random.pick(["latest", "latest", "0x10", "x"])],
    }),
  }),
  "account/listaccounts": pages,
  "account/fundedby": oneAddress,
  "account/tokenbalance": tokenBalance,
  "account/tokenlist": (draw) => ({ ...oneAddress(draw), ...pages(draw) }),
  "account/getminedblocks": (draw) => ({
    address: draw.random.chance(0.8) ? draw.random.pick(draw.oracle.blocks).miner : address(draw),
    ...pages(draw),
    ...some(draw.random, { blocktype: [0.2, () => draw.random.pick(["blocks", "uncles"])] }),
  }),
  "logs/getlogs": logs,
  "token/gettoken": (draw) => ({ contractaddress: token(draw) }),
  "token/gettokenholders": (draw) => ({ contractaddress: token(draw), ...pages(draw) }),
  "token/topholders": (draw) => ({
    contractaddress: token(draw),
    ...some(draw.random, { offset: [0.5, () => draw.random.pick(["3", "1", "99999", "0", "x"])] }),
  }),
  "transaction/gettxinfo": (draw) => ({
    ...hash(draw),
    ...some(draw.random, {
      index: [0.2, () => draw.random.pick(["0", "3", "60", "-1", "x"])],
      block_number: [0.1, () => "7"],
      sort: [0.1, () => "asc"],
    }),
  }),
  "transaction/gettxreceiptstatus": hash,
  "transaction/getstatus": hash,
  "contract/getcontractcreation": (draw) => {
    const { creations } = draw.oracle;
    const items = Array.from({ length: 1 + draw.random.integer(5) }, () =>
      creations.length > 0 && draw.random.chance(0.8)
        ? draw.random.pick(creations).address
        : address(draw),
    );
    return draw.random.chance(0.97) ? { contractaddresses: items.join(",") } : {};
  },
  "block/getblockreward": (draw) => ({ blockno: blockNumber(draw) }),
  "block/getblockcountdown": (draw) => ({
    blockno: String(draw.oracle.head.number + draw.random.integer(2000) - 10),
  }),
  "block/getblocknobytime": (draw) => ({
    timestamp: String(draw.random.pick(draw.oracle.blocks).timestamp + draw.random.integer(5) - 2),
    ...some(draw.random, {
      closest: [0.97, () => draw.random.pick(["before", "after", "before", "after", "After"])],
    }),
  }),
  "block/eth_block_number": ({ random }) => some(random, { id: [0.3, () => "7"] }),
  "stats/totalfees": ({ oracle, random }) => {
    const { timestamp } = random.pick(oracle.blocks);
    const day = new Date((timestamp + (random.integer(3) - 1) * 86_400) * 1000).toISOString();
    return some(random, { date: [0.97, () => day.slice(0, random.chance(0.9) ? 10 : 8)] });
  },
  "account/addresstokenbalance": (draw) => ({ ...oneAddress(draw), ...pages(draw) }),
  "account/addresstokennftbalance": (draw) => ({ ...oneAddress(draw), ...pages(draw) }),
  "account/addresstokennftinventory": inventory,
  "account/txsbeaconwithdrawal": (draw) => ({
    ...oneAddress(draw),
    ...pages(draw),
    ...order(draw),
    ...range(draw),
  }),
  "account/balancehistory": (draw) => ({ ...oneAddress(draw), ...pastBlock(draw) }),
  "account/tokenbalancehistory": (draw) => ({ ...tokenBalance(draw), ...pastBlock(draw) }),
  "block/getblocktxnscount": (draw) => ({ blockno: blockNumber(draw) }),
  "contract/getabi": oneAddress,
  "contract/getsourcecode": oneAddress,
  "contract/listcontracts": (draw) => ({
    ...pages(draw),
    ...some(draw.random, {
      filter: [0.7, () => draw.random.pick(["unverified", "empty", "verified", "2", "3", "x"])],
    }),
  }),
  "block/getblock": (draw) => {
    const { oracle, random } = draw;
    const byHash = () => mixedCase(random.pick(oracle.blocks).hash, random);
    const forms = [() => blockNumber(draw), () => blockNumber(draw), byHash, () => "latest"];
    return some(random, {
      block: [0.97, random.chance(0.05) ? () => random.bytes(32) : random.pick(forms)],
    });
  },
  "block/listblocks": (draw) => ({ ...pages(draw), ...range(draw) }),
  "transaction/listtransactions": (draw) => ({
    ...pages(draw),
    ...order(draw),
    ...range(draw),
  }),
  "transaction/listtransfers": (draw) => ({ ...hash(draw), ...pages(draw) }),
  "transaction/listuserops": (draw) => ({
    ...some(draw.random, {
      txhash: [0.4, () => operation(draw)?.transaction ?? transactionHash(draw)],
      userophash: [0.7, () => operation(draw)?.hash ?? transactionHash(draw)],
    }),
    ...pages(draw),
  }),
  "account/userops": (draw) => {
    const { random } = draw;
    return {
      ...some(random, {
        address: [0.97, () => operation(draw)?.party ?? address(draw)],
        role: [0.7, () => random.pick(["sender", "paymaster", "bundler", "bundler", "x"])],
        entrypoint: [0.3, () => operation(draw)?.entryPoint ?? address(draw)],
      }),
      ...pages(draw),
      ...order(draw),
      ...range(draw),
    };
  },
  "contract/readcontract": (draw) => ({
    ...oneAddress(draw),
    ...some(draw.random, {
      function: [0.9, () => draw.random.pick(["totalSupply", "balanceOf(address)", ""])],
      arguments: [0.3, () => draw.random.pick(["[]", "[1]", "x"])],
    }),
  }),
  "contract/listbyname": (draw) => ({
    ...some(draw.random, { name: [0.97, () => name(draw)] }),
    ...pages(draw),
  }),
  "contract/listnames": (draw) => ({
    ...some(draw.random, {
      addresses: [0.97, () => [token(draw), address(draw), token(draw)].join()],
    }),
  }),
  "token/listtokens": pages,
  "token/tokenholderlist": (draw) => ({ contractaddress: token(draw), ...pages(draw) }),
  "token/tokenholdercount": (draw) => ({ contractaddress: token(draw) }),
  "token/tokeninfo": (draw) => ({ contractaddress: token(draw) }),
  "stats/tokensupply": (draw) => ({ contractaddress: token(draw) }),
  "stats/tokensupplyhistory": (draw) => ({ contractaddress: token(draw), ...pastBlock(draw) }),
};

/** Parameters that every action ignores. */
function ignored({ oracle, random }: Draw): Parameters {
  return some(random, {
    apikey: [0.1, () => "anything"],
    tag: [0.1, () => "latest"],
    chainid: [0.1, () => String(oracle.chainId)],
  });
}

/** A random request of any action that `expectedAnswer` knows, with good parameters for the most part. */
export function randomRequest(draw: Draw): WireRequest {
  const { random } = draw;
  const name = random.pick(Object.keys(ANSWERERS));
  return requestOf(name, draw, random.pick(["blockscout", "etherscan"]));
}

/** A random request of one of those actions, by its name in `ANSWERERS`. */
export function requestOf(name: string, draw: Draw, dialect: WireRequest["dialect"]): WireRequest {
  const { random } = draw;
  const [module = "", action = ""] = random.chance(0.05)
    ? name.toUpperCase().split("/")
    : name.split("/");
  const isSeries = Object.hasOwn(DAILY_SERIES, name);
  const parameters = isSeries ? days(draw) : (PARAMETERS[name]?.(draw) ?? {});
  return {
    dialect,
    parameters: { module, action, ...parameters, ...ignored(draw) },
  };
}

/** A random filter for `eth_getLogs`, without mistakes. */
export function randomLogFilter({ oracle, random }: Draw): LogFilter {
  const sample = random.pick(oracle.logs);
  const topics = sample.topics.slice(0, 1 + random.integer(4)).map((topic): Hex | Hex[] | null => {
    const drawn = random.integer(4);
    if (drawn === 0) return null;
    return drawn === 1 ? [topic, random.bytes(32)] : topic;
  });
  // Nodes differ in whether a null at the end demands that there be a topic.
  while (topics.at(-1) === null) topics.pop();
  const number = (): number => random.integer(oracle.head.number + 1);
  const filter: LogFilter = { fromBlock: "earliest", toBlock: "latest" };
  if (topics.length === 0 || random.chance(0.6)) {
    filter.address = random.chance(0.3) ? [sample.address, random.bytes(20)] : sample.address;
  }
  if (filter.address === undefined || random.chance(0.6)) filter.topics = topics;
  if (random.chance(0.3)) filter.fromBlock = `0x${number().toString(16)}`;
  if (random.chance(0.2)) filter.toBlock = number();
  if (random.chance(0.15)) filter.blockHash = random.pick(oracle.blocks).hash;
  if (random.chance(0.3)) {
    const [logIndex, block] = [random.integer(60), number()];
    filter.paging_options = { logIndex: logIndex.toString(16), blockNumber: block.toString(16) };
  }
  return filter;
}
