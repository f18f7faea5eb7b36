import { readFile } from "node:fs/promises";
import type { Logger } from "pino";
import type { StartedChain } from "./app.ts";
import { sleep } from "./core/async.ts";
import { messageOf } from "./core/errors.ts";
import { SETTINGS, SOURCES } from "./devnet/artifacts.ts";
import { sampleAddress } from "./devnet/world.ts";
import { BUNDLED_VERSION } from "./verification/compilers/catalogue.ts";
import { guidOf } from "./verification/jobs/submit.ts";
import type { VerificationForm } from "./verification/request.ts";
import type { Verifier } from "./verification/verifier.ts";

/** The end of the sample world's identifiers, constant for the documents. */
const GUID_END = "00000192f3a4b5c6";
const PATIENCE_MS = 60_000;
/** The database or the node may be unavailable for a moment. */
const ATTEMPTS = 5;
const PAUSE_MS = 2000;
/** One client with limits of its own. */
const CLIENT = "sample world";
const compilerVersion = `v${BUNDLED_VERSION}`;

/** Verifies contracts of the sample chain that are not yet, as a client may. Tries again a few times. */
export async function verifySampleWorld(
  { devnet, verifier }: Pick<StartedChain, "devnet" | "verifier">,
  log: Logger,
  signal: AbortSignal,
  pauseMs = PAUSE_MS,
): Promise<void> {
  if (!devnet) return;
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      return await verifyAll(verifier, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (attempt === ATTEMPTS) {
        return log.warn(`no sample contract is verified: ${messageOf(error)}`);
      }
      log.info(`the sample contracts are not verified yet: ${messageOf(error)}`);
      await sleep(pauseMs, signal);
    }
  }
}

async function verifyAll(verifier: Verifier, signal: AbortSignal): Promise<void> {
  await verify(verifier, "Coin", await singleFile("Coin"), signal);
  await verify(verifier, "Counter", await standardJson("Counter"), signal);
  await verify(verifier, "Proxy", await standardJson("Proxy"), signal);
  const proxy = sampleAddress("Proxy");
  const guid = guidOf(proxy, GUID_END);
  if (!(await verifier.proxyStatus(guid))) await verifier.verifyProxy(proxy, { guid });
}

async function verify(
  verifier: Verifier,
  name: "Coin" | "Counter" | "Proxy",
  form: VerificationForm,
  signal: AbortSignal,
): Promise<void> {
  const address = sampleAddress(name);
  const documented = guidOf(address, GUID_END);
  const status = await verifier.status(documented);
  if (status?.state === "pending" || status?.state === "running") {
    await verifier.wait(documented, PATIENCE_MS, signal);
  }
  // After a reset of the chain the identifier is taken.
  const isFree = status === undefined;
  const request = { ...form, address };
  const options = isFree ? { guid: documented } : {};
  const submission = await verifier.submit(request, CLIENT, options);
  if (submission.outcome === "accepted") await verifier.wait(submission.guid, PATIENCE_MS, signal);
}

async function singleFile(name: string): Promise<VerificationForm> {
  return {
    format: "flattened",
    source: await readSource(name),
    name,
    compilerVersion,
    optimizer: { ...SETTINGS.optimizer, runs: 200 },
  };
}

async function standardJson(name: string): Promise<VerificationForm> {
  const file = `${name}.sol`;
  const input = {
    language: "Solidity",
    sources: { [file]: { content: await readSource(name) } },
    settings: SETTINGS,
  };
  return {
    format: "standard-json",
    input: JSON.stringify(input),
    name: `${file}:${name}`,
    compilerVersion,
  };
}

function readSource(name: string): Promise<string> {
  return readFile(new URL(`${name}.sol`, SOURCES), "utf8");
}
