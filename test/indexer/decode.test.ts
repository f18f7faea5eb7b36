import { concat, keccak256, toEventSelector } from "viem";
import { describe, expect, it } from "vitest";
import { frameOfCallTracer } from "../../src/chain/traces/frames.ts";
import type { FetchedBlock } from "../../src/chain/types.ts";
import { wordOfAddress, ZERO_ADDRESS } from "../../src/core/evm/address.ts";
import type { Hex } from "../../src/core/evm/hex.ts";
import { decodeBlocks } from "../../src/indexer/decode/block.ts";
import { hasFailed } from "../../src/indexer/decode/frames.ts";
import { buildBlock, scriptedAddress } from "../support/scripted-node/block.ts";
import { TRANSFER, TRANSFER_SINGLE, word } from "../support/scripted-node/ledger.ts";
import type {
  BlockSpecification,
  CallSpecification,
} from "../support/scripted-node/specification.ts";

const [a, b, c, d, token] = [
  scriptedAddress("a"),
  scriptedAddress("b"),
  scriptedAddress("c"),
  scriptedAddress("d"),
  scriptedAddress("token"),
];
const NOTHING = keccak256("0x");

interface Options {
  traced?: boolean;
  header?: Record<string, unknown>;
}

function fetched(specification: BlockSpecification, options: Options = {}): FetchedBlock {
  const { block, receipts, frames } = buildBlock(specification, undefined, 1);
  return {
    block: { ...block, ...options.header },
    receipts: [...receipts],
    traces:
      options.traced === false
        ? null
        : frames.map((frame) => ({ transactionHash: null, frame: frameOfCallTracer(frame) })),
  };
}

function decode(specification: BlockSpecification, options?: Options) {
  return decodeBlocks([fetched(specification, options)]);
}

it("a block has the lowest and the highest price of gas, or none", () => {
  const prices = (...all: bigint[]) => {
    const { blocks } = decode({
      transactions: all.map((price) => ({ effectiveGasPriceWei: price })),
    });
    return blocks.map(({ gasPriceMinimum, gasPriceMaximum }) => [gasPriceMinimum, gasPriceMaximum]);
  };
  expect(prices(5n, 3n, 9n, 4n)).toEqual([[3n, 9n]]);
  expect(prices(7n)).toEqual([[7n, 7n]]);
  expect(prices()).toEqual([[null, null]]);
});

describe("a transaction", () => {
  it("that the trace calls failed has failed only where the receipt has no word", () => {
    const receipt = fetched({ transactions: [{}] }).receipts[0];
    const trace = fetched({ transactions: [{ error: "no" }] }).traces?.[0];
    if (!receipt) throw new Error("no receipt");
    const { status: _, ...old } = receipt;
    const silent = { ...old, status: null as unknown as Hex };
    expect(hasFailed(receipt, undefined)).toBe(false);
    expect(hasFailed({ ...receipt, status: "0x0" }, undefined)).toBe(true);
    expect(hasFailed({ ...receipt, status: "0x00" }, undefined)).toBe(true);
    expect(hasFailed(old, undefined)).toBe(false);
    expect(hasFailed(silent, undefined)).toBe(false);
    expect(hasFailed(old, trace)).toBe(true);
    expect(hasFailed(receipt, trace)).toBe(false);
  });

  it.each([true, false])("that failed created nothing, traced: %s", (traced) => {
    const rows = decode(
      { transactions: [{ to: null, contractAddress: c, error: "no" }] },
      { traced },
    );
    expect(rows.transactions).toMatchObject([{ createdContract: null, status: 0 }]);
    expect(rows.contracts).toEqual([]);
    expect(rows.addressTransactions.map(({ address }) => address)).not.toContain(c);
  });

  it.each([true, false])("that created a contract is listed with it, traced: %s", (traced) => {
    const rows = decode(
      {
        transactions: [
          {},
          { from: a, to: null, contractAddress: c, input: "0x60", output: "0xfe" },
          // Some nodes name a contract for every transaction.
          { from: a, to: b, receiptFields: { contractAddress: d } },
        ],
      },
      { traced },
    );
    expect(rows.transactions.map(({ createdContract }) => createdContract)).toEqual([
      null,
      c,
      null,
    ]);
    expect(rows.contracts).toEqual([
      {
        address: c,
        blockNumber: 0,
        transactionIndex: 1,
        position: 0,
        creator: a,
        codeHash: traced ? keccak256("0xfe") : null,
      },
    ]);
    expect(rows.addressTransactions.filter(({ address }) => address === c)).toMatchObject([
      { transactionIndex: 1, sides: 4 },
    ]);
  });

  it("to oneself is one's own on both sides", () => {
    const rows = decode({ transactions: [{ from: a, to: a }] });
    expect(rows.addressTransactions).toEqual([
      { address: a, blockNumber: 0, transactionIndex: 0, sides: 3 },
    ]);
  });

  it("pays what its receipt says, else what it offered, else nothing", () => {
    const offered = { receiptFields: { effectiveGasPrice: undefined } };
    const rows = decode({
      baseFeeWei: 5n,
      transactions: [
        { gasUsed: 10, effectiveGasPriceWei: 8n, fields: { gasPrice: "0x63" } },
        { gasUsed: 10, effectiveGasPriceWei: 7n, ...offered },
        // A deposit pays less than the base fee, and no account receives a part of it.
        { gasUsed: 10, ...offered, fields: { gasPrice: undefined } },
        { gasUsed: 10, effectiveGasPriceWei: 5n },
      ],
    });
    expect(rows.transactions.map(({ gasPrice }) => BigInt(gasPrice))).toEqual([8n, 7n, 0n, 5n]);
    expect(rows.blocks).toMatchObject([{ fees: 200n, reward: 50n }]);
  });

  it("of a time without base fee leaves all it pays to the producer", () => {
    const header = { baseFeePerGas: undefined };
    const rows = decode({ transactions: [{ gasUsed: 10, effectiveGasPriceWei: 8n }] }, { header });
    expect(rows.blocks).toMatchObject([{ fees: 80n, reward: 80n, baseFeePerGas: null }]);
  });

  it("keeps the reason and the data of its failure, without NULs, and of nothing else", () => {
    const rows = decode({
      transactions: [
        { error: "bad\0 luck", output: "0xdead" },
        { output: "0xbeef" },
        { error: "out of gas" },
      ],
    });
    expect(rows.transactions.map(({ error, revertData }) => [error, revertData])).toEqual([
      ["bad luck", "0xdead"],
      [null, null],
      ["out of gas", null],
    ]);
  });

  it("is of type 0 with what is missing null, and has its signature in whole words", () => {
    const old = { type: undefined, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined };
    const rows = decode({
      transactions: [
        { fields: { ...old, r: "0x12", s: undefined, v: "0x1b", yParity: "0x0" } },
        { fields: { v: undefined, yParity: "0x1" } },
        { fields: { v: undefined, yParity: undefined, r: null, s: "0x1" } },
      ],
    });
    expect(rows.transactions).toMatchObject([
      {
        type: 0,
        maxFeePerGas: null,
        maxPriorityFeePerGas: null,
        r: word(0x12),
        s: null,
        v: "0x1b",
      },
      { type: 2, maxFeePerGas: "0xee6b2800", maxPriorityFeePerGas: "0x77359400", v: "0x1" },
      { v: null, r: null, s: word(1) },
    ]);
  });

  it("keeps as JSON what only its type has", () => {
    const accessList = [{ address: a, storageKeys: [] }];
    const rows = decode({
      transactions: [
        {},
        // Some nodes give the fields of blobs to all receipts.
        { type: 1, fields: { accessList }, receiptFields: { blobGasUsed: "0x0" } },
        { type: 3, receiptFields: { blobGasUsed: "0x2", blobGasPrice: "0x3" } },
        { type: 4, fields: { authorizationList: [{ nonce: "0x1" }] } },
        { fields: { accessList: "odd" } },
      ],
    });
    const extras = rows.transactions.map(({ extra }) => extra && JSON.parse(String(extra)));
    expect(extras).toEqual([
      null,
      { accessList },
      {
        maxFeePerBlobGas: "0x1",
        blobVersionedHashes: [expect.stringMatching(/^0x01/)],
        blobGasUsed: "0x2",
        blobGasPrice: "0x3",
      },
      { authorizationList: [{ nonce: "0x1" }] },
      null,
    ]);
  });
});

describe("a block", () => {
  it("stands with what is missing as nothing, and with its withdrawals", () => {
    const withdrawals = [
      { address: a, amountGwei: 3 },
      { address: b, amountGwei: 4 },
    ];
    const [whole, bare] = [
      decode({ withdrawals, transactions: [{}] }),
      decode({}, { header: { difficulty: undefined, size: undefined } }),
    ];
    expect(whole.withdrawals.map(({ address, amount }) => [address, amount])).toEqual([
      [a, "0x3"],
      [b, "0x4"],
    ]);
    expect(whole.blocks).toMatchObject([
      { size: 800, transactionCount: 1, fees: 42_000_000_000_000n },
    ]);
    expect(bare.blocks).toMatchObject([
      {
        difficulty: "0x0",
        size: 0,
        fees: 0n,
        reward: 0n,
        gasPriceMinimum: null,
        gasPriceMaximum: null,
      },
    ]);
    expect(bare.withdrawals).toEqual([]);
  });

  it("is decoded apart from the others", () => {
    const first = fetched({ transactions: [{ to: null, contractAddress: c }] }, { traced: false });
    const second = fetched({ transactions: [{ to: null, contractAddress: d }] }, { traced: false });
    const moved = { ...second, block: { ...second.block, number: "0x1" as Hex } };
    const rows = decodeBlocks([first, moved]);
    expect(rows.contracts.map(({ address, blockNumber }) => [address, blockNumber])).toEqual([
      [c, 0],
      [d, 1],
    ]);
  });

  it("has its logs under all their topics", () => {
    const topics: Hex[] = [word(1), word(2), word(3), word(4)];
    const rows = decode({
      transactions: [
        { logs: [{ address: a }, { address: b, topics: topics.slice(0, 2), data: "0x01" }] },
        { logs: [{ address: a, topics }] },
      ],
    });
    expect(rows.logs).toMatchObject([
      { logIndex: 0, transactionIndex: 0, topic0: null, topic1: null, topic2: null, topic3: null },
      {
        logIndex: 1,
        topic0: topics[0],
        topic1: topics[1],
        topic2: null,
        topic3: null,
        data: "0x01",
      },
      { logIndex: 2, transactionIndex: 1, topic2: topics[2], topic3: topics[3] },
    ]);
  });

  it("tells of other implementations by the events of proxies, and by no other event", () => {
    const events = [
      "Upgraded(address)",
      "BeaconUpgraded(address)",
      "ChangedMasterCopy(address)",
      "NewImplementation(address,address)",
      "DiamondCut((address,uint8,bytes4[])[],address,bytes)",
      "AdminChanged(address,address)",
    ];
    const logs = events.map((event) => ({ address: a, topics: [toEventSelector(event)] }));
    const rows = decode({ transactions: [{ logs: [...logs, { address: a }] }] });
    expect(rows.implementationChanges).toEqual(
      [0, 1, 2, 3, 4].map((logIndex) => ({ address: a, blockNumber: 0, logIndex })),
    );
  });
});

describe("frames", () => {
  const frame = (calls: readonly CallSpecification[], rest = {}) =>
    decode({ transactions: [{ from: a, to: b, gasUsed: 777, calls, ...rest }] });

  it("are listed depth first, without the top-level call", () => {
    const rows = frame([
      {
        from: b,
        to: c,
        calls: [
          { from: c, to: d },
          { from: c, to: a },
        ],
      },
      { from: b, to: d },
    ]);
    expect(
      rows.internalTransactions.map(({ position, traceAddress }) => [position, traceAddress]),
    ).toEqual([
      [1, [0]],
      [2, [0, 0]],
      [3, [0, 1]],
      [4, [1]],
    ]);
  });

  it("have the kind, the parties and the value that their type has", () => {
    const rows = frame([
      { from: b, to: c, valueWei: 5n, input: "0x01", output: "0x02" },
      { type: "DELEGATECALL", from: b, to: c, valueWei: 5n },
      { type: "CALLCODE", from: b, to: c, valueWei: 5n },
      { type: "STATICCALL", from: b, to: c },
      { type: "CREATE", from: b, to: c, valueWei: 5n, input: "0x60", output: "0xfe" },
      { type: "CREATE2", from: b, to: d, input: "0x61", output: "0xfd" },
      { type: "SELFDESTRUCT", from: c, to: a, valueWei: 5n },
      { type: "ODDCALL", from: b, to: c, valueWei: 6n },
    ]);
    const shown = rows.internalTransactions.map((row) => [
      row.type,
      row.callType,
      row.toAddress,
      row.createdContract,
      BigInt(row.value),
    ]);
    expect(shown).toEqual([
      ["call", "call", c, null, 5n],
      ["call", "delegatecall", c, null, 0n],
      ["call", "callcode", c, null, 5n],
      ["call", "staticcall", c, null, 0n],
      ["create", null, null, c, 5n],
      ["create2", null, null, d, 0n],
      ["selfdestruct", null, a, null, 5n],
      ["oddcall", null, c, null, 6n],
    ]);
    expect(rows.internalTransactions[0]).toMatchObject({
      input: "0x01",
      gas: "0x7530",
      gasUsed: "0x64",
    });
  });

  it("are the activity of each party once, listed by default when they are more than calls without value", () => {
    const rows = frame([
      { from: b, to: b, valueWei: 1n },
      { from: b, to: c },
      { type: "CREATE", from: b, to: d, output: "0xfe" },
      { type: "SELFDESTRUCT", from: d, to: a },
    ]);
    const shown = rows.addressInternalTransactions.map(({ address, position, sides, valued }) => [
      address,
      position,
      sides,
      valued,
    ]);
    expect(shown).toEqual([
      [b, 1, 3, true],
      [b, 2, 1, false],
      [c, 2, 2, false],
      [b, 3, 1, true],
      [d, 3, 4, true],
      [d, 4, 1, true],
      [a, 4, 2, true],
    ]);
  });

  it("at the top stay when they create, with the transaction's gas and without its input", () => {
    const rows = decode({
      transactions: [
        { from: a, to: null, contractAddress: c, gasUsed: 999, input: "0x60", output: "0xfe" },
      ],
    });
    expect(rows.internalTransactions).toMatchObject([
      { position: 0, type: "create", createdContract: c, gasUsed: "0x3e7", input: null },
    ]);
    const block = fetched({
      transactions: [{ to: null, gasUsed: 999, calls: [{ from: a, to: b }] }],
    });
    // Tracers count the gas of the top in their own ways, and leave out a value of nothing.
    const top = block.traces?.[0]?.frame;
    Object.assign(top ?? {}, { gasUsed: "0x1", value: null });
    expect(decodeBlocks([block]).internalTransactions[0]).toMatchObject({
      gasUsed: "0x3e7",
      value: "0x0",
    });
    const [inner] = frame([{ from: b, to: c, input: "0x05" }]).internalTransactions;
    expect(inner).toMatchObject({ gasUsed: "0x64", input: "0x05" });
  });

  it("below a failure have no effect, neither have those of a failed transaction", () => {
    const deeds = [
      { from: b, to: c, valueWei: 1n },
      { type: "CREATE", from: b, to: d, output: "0xfe" },
      { type: "SELFDESTRUCT", from: b, to: a },
    ] as const;
    const all = [
      frame([{ from: b, to: c, error: "no\0", calls: deeds }]),
      frame(deeds, { error: "no" }),
      frame(deeds, { error: "no", silentTrace: true }),
      frame(deeds, { error: "no", receiptFields: { status: undefined } }),
    ];
    for (const rows of all) {
      expect(rows.internalTransactions.map(({ effective }) => effective)).not.toContain(true);
      expect(rows.internalTransactions.map(({ createdContract }) => createdContract)).not.toContain(
        d,
      );
      expect(rows.addressInternalTransactions.map(({ address }) => address)).not.toContain(d);
      expect([rows.contracts, rows.contractDestructions]).toEqual([[], []]);
    }
    expect(all[0]?.internalTransactions.map(({ error }) => error)).toEqual([
      "no",
      null,
      null,
      null,
    ]);
    expect(frame(deeds).internalTransactions.map(({ effective }) => effective)).not.toContain(
      false,
    );
  });

  it("create contracts with the hash of their code, also of none", () => {
    const rows = frame([
      { type: "CREATE", from: b, to: c, output: "0xfe" },
      { type: "CREATE2", from: b, to: d },
      // Nodes need not say where.
      { type: "CREATE", from: b, output: "0xfe" },
    ]);
    expect(
      rows.contracts.map(({ address, position, creator, codeHash }) => [
        address,
        position,
        creator,
        codeHash,
      ]),
    ).toEqual([
      [c, 1, b, keccak256("0xfe")],
      [d, 2, b, NOTHING],
    ]);
  });

  it("create what the receipt says, where the trace calls the transaction failed", () => {
    const child = { type: "CREATE", from: c, to: d, output: "0xfe" } as const;
    const block = fetched({ transactions: [{ to: null, contractAddress: c, calls: [child] }] });
    for (const { frame: top } of block.traces ?? []) {
      Object.assign(top, { error: "no", output: "0xdead", to: null });
    }
    const { contracts, internalTransactions } = decodeBlocks([block]);
    expect(contracts.map(({ address, codeHash }) => [address, codeHash])).toEqual([
      // Such a trace lacks the code left by the top-level frame.
      [c, null],
      [d, keccak256("0xfe")],
    ]);
    expect(internalTransactions.map(({ error }) => error)).toEqual([null, null]);
  });

  it.each([
    ["before Cancun", {}, ["old", "born", "born"]],
    ["since Cancun", { excessBlobGas: "0x0" }, ["born", "born"]],
  ])("destroy, %s, what they may", (_, header, expected) => {
    const names = new Map<Hex, string>([
      [c, "old"],
      [d, "born"],
    ]);
    const born = { type: "CREATE", from: b, to: d, output: "0xfe" } as const;
    const end = (from: Hex) => ({ type: "SELFDESTRUCT", from, to: a }) as const;
    const rows = decode(
      {
        transactions: [
          { to: b, calls: [born, { ...born, to: token }, end(d), end(c)] },
          { to: null, contractAddress: d, output: "0xfe", calls: [] },
          { to: null, contractAddress: d, output: "0xfe", calls: [end(d)] },
        ],
      },
      { header },
    );
    const gone = rows.contractDestructions.map(({ address }) => names.get(address) ?? "?");
    expect([...gone].sort()).toEqual([...expected].sort());
  });

  it("since Cancun destroy nothing that another transaction or block created", () => {
    const header = { excessBlobGas: "0x0" };
    const creation = { transactions: [{ to: null, contractAddress: d, output: "0xfe" as Hex }] };
    const end = { type: "SELFDESTRUCT", from: d, to: a } as const;
    const first = fetched(creation, { header });
    const second = fetched({ transactions: [{ to: b, calls: [end] }] }, { header });
    const later = { ...second, block: { ...second.block, number: "0x1" as Hex } };
    expect(decodeBlocks([first, later]).contractDestructions).toEqual([]);
    const same = decode(
      { transactions: [...creation.transactions, { to: b, calls: [end] }] },
      { header },
    );
    expect(same.contractDestructions).toEqual([]);
  });
});

describe("token transfers", () => {
  const [from, to] = [wordOfAddress(a), wordOfAddress(b)];
  const BATCH: Hex = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";
  const AMOUNT_404: Hex = "0xe59fdd36d0d223c0c7d996db7ad796880f45e1936cb0bb7ac102e7082e031487";
  const ID_404: Hex = "0xe5f815dc84b8cecdfd4beedfc3f91ab5be7af100eca4e8fb11552b867995394f";
  const words = (...values: (number | bigint)[]) => concat(values.map(word));

  function moved(topics: Hex[], data: Hex = "0x") {
    const rows = decode({ transactions: [{ logs: [{ address: token, topics, data }] }] });
    return rows.tokenTransfers.map(({ standard, fromAddress, toAddress, tokenId, amount }) => [
      standard,
      fromAddress,
      toAddress,
      tokenId && BigInt(tokenId),
      amount && BigInt(amount),
    ]);
  }

  it.each<[string, Hex[], Hex, unknown[]]>([
    ["ERC-20", [TRANSFER, from, to], word(7), [[20, a, b, null, 7n]]],
    ["ERC-721", [TRANSFER, from, to, word(9)], "0x", [[721, a, b, 9n, null]]],
    [
      "a collection older than ERC-721",
      [TRANSFER],
      concat([from, to, word(9)]),
      [[721, a, b, 9n, null]],
    ],
    ["one of ERC-1155", [TRANSFER_SINGLE, from, from, to], words(9, 7), [[1155, a, b, 9n, 7n]]],
    [
      "several of ERC-1155",
      [BATCH, from, from, to],
      words(64, 160, 2, 1, 2, 2, 10, 20),
      [
        [1155, a, b, 1n, 10n],
        [1155, a, b, 2n, 20n],
      ],
    ],
    ["the amount of ERC-404", [AMOUNT_404, from, to], word(7), [[404, a, b, null, 7n]]],
    ["the id of ERC-404", [ID_404, from, to, word(9)], "0x", [[404, a, b, 9n, null]]],
  ])("are %s", (_, topics, data, expected) => {
    expect(moved(topics, data)).toEqual(expected);
  });

  it.each<[string, Hex[], Hex]>([
    ["an event of another name", [word(1), from, to], word(7)],
    ["no event at all", [], word(7)],
    ["an amount that is no word", [TRANSFER, from, to], "0x07"],
    ["more than an amount", [TRANSFER, from, to], words(7, 8)],
    ["one party indexed", [TRANSFER, from], concat([to, word(9), word(9)])],
    ["one party indexed, and a word", [TRANSFER, from], word(7)],
    ["nothing indexed, and two words", [TRANSFER], words(1, 2)],
    ["one of ERC-1155 without a receiver", [TRANSFER_SINGLE, from, from], words(9, 7)],
    ["one of ERC-1155 without parties", [TRANSFER_SINGLE, from], words(9, 7)],
    ["one of ERC-1155 with a word too much", [TRANSFER_SINGLE, from, from, to], words(9, 7, 1)],
    ["several without a receiver", [BATCH, from, from], words(64, 160, 2, 1, 2, 2, 10, 20)],
    ["several without parties", [BATCH, from], words(64, 160, 2, 1, 2, 2, 10, 20)],
    ["more ids than amounts", [BATCH, from, from, to], words(64, 160, 2, 1, 2, 1, 10)],
    ["ids outside of the data", [BATCH, from, from, to], words(9_999, 160, 2, 1, 2, 2, 10, 20)],
    [
      "amounts outside of the data",
      [BATCH, from, from, to],
      words(64, 2n ** 255n, 2, 1, 2, 2, 10, 20),
    ],
    ["a list longer than the data", [BATCH, from, from, to], words(64, 160, 2, 1, 2, 3, 10, 20)],
    ["an amount too few", [BATCH, from, from, to], words(64, 160, 2, 1, 2, 2, 10)],
    ["lists longer than anything", [BATCH, from, from, to], words(64, 64, 2n ** 64n)],
    ["no lists at all", [BATCH, from, from, to], "0x"],
    ["the amount of ERC-404 with an id", [AMOUNT_404, from, to, word(1)], word(7)],
    ["the amount of ERC-404 without a receiver", [AMOUNT_404, from], word(7)],
    ["the amount of ERC-404 without parties", [AMOUNT_404], word(7)],
    ["an amount of ERC-404 that is no word", [AMOUNT_404, from, to], "0x07"],
    ["the id of ERC-404 without an id", [ID_404, from, to], word(7)],
    ["the id of ERC-404 without a receiver", [ID_404, from], word(7)],
    ["the id of ERC-404 without parties", [ID_404], word(7)],
  ])("are not %s", (_, topics, data) => {
    expect(moved(topics, data)).toEqual([]);
  });

  it("are the activity of both parties, of one to oneself once", () => {
    const logs = [
      { address: token, topics: [TRANSFER, from, to], data: word(1) },
      { address: token, topics: [TRANSFER, from, from], data: word(1) },
      {
        address: token,
        topics: [BATCH, from, wordOfAddress(ZERO_ADDRESS), to],
        data: words(64, 160, 2, 1, 2, 2, 10, 20),
      },
    ];
    const rows = decode({ transactions: [{}, { logs }] });
    expect(
      rows.addressTokenTransfers.map(({ address, logIndex, batchIndex, sides }) => [
        address,
        logIndex,
        batchIndex,
        sides,
      ]),
    ).toEqual([
      [a, 0, 0, 1],
      [b, 0, 0, 2],
      [a, 1, 0, 1 + 2],
      [ZERO_ADDRESS, 2, 0, 1],
      [b, 2, 0, 2],
      [ZERO_ADDRESS, 2, 1, 1],
      [b, 2, 1, 2],
    ]);
    expect(
      rows.tokenTransfers.map((row) => [row.transactionIndex, row.logIndex, row.batchIndex]),
    ).toEqual([
      [1, 0, 0],
      [1, 1, 0],
      [1, 2, 0],
      [1, 2, 1],
    ]);
  });
});
