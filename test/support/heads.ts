import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { inject } from "vitest";
import { type Anvil, startAnvil } from "./anvil.ts";
import { createTestApp, type TestApp } from "./app.ts";
import { ANSWERERS, actionOf, expectedAnswer } from "./brute-force/answers.ts";
import { HISTORIES } from "./brute-force/histories.ts";
import { createParameters } from "./brute-force/parameters.ts";
import { requestOf } from "./brute-force/random-requests.ts";
import type { WireAnswer, WireRequest } from "./brute-force/wire.ts";
import { startTestIndexer, type TestIndexer } from "./indexer.ts";
import { createOracleReader, type Oracle, type OracleReader } from "./oracle/oracle.ts";
import { createRandom, type Random } from "./world/random.ts";
import { deployWorld, type World } from "./world/world.ts";

/** An answer, and the block that it says to be true for. */
interface Heard {
  request: WireRequest;
  answer: WireAnswer;
  block: string;
}

/** The questions, and the faults. */
export interface Findings {
  heads: number;
  answers: number;
  /** Tokens whose balances change without any transfer: the time of a read amount is unknown. */
  undecided: number;
  /** Refused because the node had left the branch, or was asked for too much at once. */
  refused: number;
  wrong: { block: string; request: WireRequest; answer: WireAnswer; expected: unknown }[];
}

/** The actions that are asked, by `module/action`. */
export const COMPARED: readonly string[] = [...Object.keys(ANSWERERS), ...Object.keys(HISTORIES)];

/** The oracle's work grows with the chain. */
const HEADS_OF_A_CHAIN = 100;
/** Mined without a pause, so that most answers are made while the next head is published. */
const BLOCKS_OF_A_ROUND = 3;
const POLL_MS = 2;

/**
 * Plays on real chains, one after the other, and sends every action that an oracle can answer,
 * alternating the dialects, at each published head at once; compares each answer with the oracle's
 * for the answer's block. `onChain` receives the findings so far.
 */
export async function askAtEveryHead(
  heads: number,
  seed: number,
  onChain: (findings: Findings) => void = () => {},
): Promise<Findings> {
  const findings: Findings = { heads: 0, answers: 0, undecided: 0, refused: 0, wrong: [] };
  for (let chain = 0; findings.heads < heads; chain++) {
    const last = Math.min(heads, findings.heads + HEADS_OF_A_CHAIN);
    await playChain(findings, last, seed + chain);
    onChain(findings);
  }
  return findings;
}

/** Plays on a chain of its own until so many heads were seen. */
async function playChain(findings: Findings, heads: number, seed: number): Promise<void> {
  const anvil = await startAnvil();
  const world = await deployWorld(anvil.url);
  await world.everything();
  const api = await createTestApp({ nodeUrl: anvil.url });
  const databaseUrl = new URL(inject("postgresUrl"));
  databaseUrl.pathname = api.sql.options.database;
  const indexer = startTestIndexer({ databaseUrl: databaseUrl.href, rpcUrls: [anvil.url] });
  try {
    await play({ anvil, world, api, indexer, random: createRandom(seed) }, findings, heads);
  } finally {
    await indexer.stop();
    await api.close();
    await anvil.stop();
  }
}

interface Stage {
  anvil: Anvil;
  world: World;
  api: TestApp;
  indexer: TestIndexer;
  random: Random;
}

async function play(stage: Stage, findings: Findings, heads: number): Promise<void> {
  const { anvil, world, api, indexer, random } = stage;
  const reader = createOracleReader(anvil.url);
  let oracle = await reader.read();
  await indexer.reach(oracle.head.hash);
  let seen = await headOf(api);
  while (findings.heads < heads) {
    const requests = draw(oracle, world, random);
    let isPlayed = false;
    const playing = (async () => {
      for (let block = 0; block < BLOCKS_OF_A_ROUND; block++) await world.step(random);
    })().finally(() => {
      isPlayed = true;
    });
    const heard: Heard[] = [];
    for (;;) {
      const wasPlayed = isPlayed;
      const head = await headOf(api);
      if (head !== seen) {
        seen = head;
        findings.heads++;
        heard.push(...(await Promise.all(requests.map((request) => ask(api, request)))));
      } else if (wasPlayed && heard.length > 0) break;
      else await setTimeout(POLL_MS);
    }
    await playing;
    oracle = await judge(findings, heard, { reader, oracle, world });
  }
}

/** Number and hash of the served head. */
async function headOf({ app }: TestApp): Promise<string> {
  const { headers } = await app.inject("/api?module=block&action=eth_block_number");
  return String(headers["x-periscope-block"]);
}

function draw(oracle: Oracle, world: World, random: Random): WireRequest[] {
  const { silentTokens } = world;
  return COMPARED.map((name) =>
    requestOf(name, { oracle, random, silentTokens }, random.pick(["blockscout", "etherscan"])),
  );
}

async function ask({ app }: TestApp, request: WireRequest): Promise<Heard> {
  const path = request.dialect === "blockscout" ? "/api" : "/v2/api";
  const response = await app.inject(`${path}?${new URLSearchParams(request.parameters)}`);
  return {
    request,
    answer: { httpStatus: response.statusCode, body: response.json() },
    block: String(response.headers["x-periscope-block"]),
  };
}

/** Holds the answers to the chain as it was at the blocks that they name; gives the newest of those. */
async function judge(
  findings: Findings,
  heard: readonly Heard[],
  { reader, oracle: last, world }: { reader: OracleReader; oracle: Oracle; world: World },
): Promise<Oracle> {
  const { silentTokens } = world;
  let newest = last;
  for (const [block, answers] of Map.groupBy(heard, (one) => one.block)) {
    // Refused before anything was read.
    const oracle =
      block === "undefined" ? newest : await reader.read({ head: Number(block.split(";")[0]) });
    if (oracle.head.number > newest.head.number) newest = oracle;
    for (const { request, answer } of answers) {
      findings.answers++;
      if (isUndecided(request, answer, oracle, silentTokens)) {
        findings.undecided++;
        continue;
      }
      if (answer.httpStatus === 503) {
        findings.refused++;
        continue;
      }
      const expected: unknown = JSON.parse(JSON.stringify(await expectedOf(oracle, request)));
      const isNamed =
        block === "undefined" || block === `${oracle.head.number};${oracle.head.hash}`;
      if (!isNamed || !isDeepStrictEqual(answer, expected)) {
        findings.wrong.push({ block, request, answer, expected });
      }
    }
  }
  return newest;
}

const ABOUT_TOKENS =
  /^(token\/.*|stats\/tokensupply|account\/(tokenbalance|tokenlist|addresstoken(nft)?balance))$/;

/** Whether a token that changes silently takes part. */
export function isUndecided(
  request: WireRequest,
  answer: WireAnswer,
  { holdings }: Oracle,
  silentTokens: readonly string[],
): boolean {
  const parameters = createParameters(request.parameters);
  if (!ABOUT_TOKENS.test(actionOf(parameters))) return false;
  const [token, owner] = ["contractaddress", "address"].map((name) =>
    parameters.get(name)?.toLowerCase(),
  );
  if (token !== undefined) return silentTokens.includes(token);
  // Transfers do not name all holders of a silent token.
  const text = JSON.stringify(answer.body).toLowerCase();
  return (
    silentTokens.some((silent) => text.includes(silent)) ||
    holdings.some((held) => held.owner === owner && silentTokens.includes(held.token))
  );
}

async function expectedOf(oracle: Oracle, request: WireRequest): Promise<WireAnswer> {
  const { dialect, parameters: sent } = request;
  const parameters = createParameters(sent);
  const history = HISTORIES[actionOf(parameters)];
  return history ? history({ oracle, dialect, parameters }) : expectedAnswer(oracle, request);
}
