import { Agent, WebSocket } from "undici";
import { sleep } from "../../core/async.ts";
import { splitCredentials } from "../../core/secrets.ts";
import { NodeError } from "../errors/errors.ts";
import { headerOf } from "../headers.ts";
import type { ChainOptions } from "../options.ts";
import { parseNodeUrl } from "../rpc/node-url.ts";
import type { BlockHeader } from "../types.ts";

const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 30_000;

/** A connection silent for this long after a request is dead. */
const SILENCE_MS = 30_000;

const LARGEST_MESSAGE = 1024 * 1024;

const SUBSCRIBE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "eth_subscribe",
  params: ["newHeads"],
});
const SIGN_OF_LIFE = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "eth_chainId", params: [] });

/** Subscribes to `newHeads` and reconnects with growing delays until aborted. Missed heads are not delivered later. */
export function subscribeToHeads(
  webSocketUrl: string,
  { log, signal }: Pick<ChainOptions, "log" | "signal">,
  onHead: (header: BlockHeader) => void,
): void {
  const url = parseNodeUrl(webSocketUrl);
  const dispatcher = new Agent({ webSocket: { maxPayloadSize: LARGEST_MESSAGE } });
  void keepSubscribed();

  async function keepSubscribed(): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      const subscribed = await subscribeOnce(() => {
        if (failures > 0) log.info("subscription to new heads is back");
      });
      failures = subscribed ? 1 : failures + 1;
      if (signal.aborted) break;
      if (failures === 1) log.warn("subscription to new heads lost, polling");
      await sleep(Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1)), signal);
    }
    await dispatcher.destroy();
  }

  /** Holds one connection until it ends; returns whether the subscription was confirmed. */
  function subscribeOnce(onSubscribed: () => void): Promise<boolean> {
    return new Promise((resolve) => {
      const { bare, headers } = splitCredentials(url);
      const socket = new WebSocket(bare, { dispatcher, headers });
      let subscribed = false;
      let answered = true;
      const watch = setInterval(() => {
        if (!answered) return end();
        answered = false;
        if (socket.readyState === socket.OPEN) socket.send(SIGN_OF_LIFE);
      }, SILENCE_MS);

      function end(): void {
        clearInterval(watch);
        signal.removeEventListener("abort", end);
        socket.close();
        resolve(subscribed);
      }

      signal.addEventListener("abort", end, { once: true });
      socket.addEventListener("close", end);
      socket.addEventListener("error", end);
      socket.addEventListener("open", () => socket.send(SUBSCRIBE));
      socket.addEventListener("message", ({ data }) => {
        answered = true;
        const header = readMessage(data);
        if (header === "subscribed") {
          subscribed = true;
          onSubscribed();
        } else if (header) {
          onHead(header);
        }
      });
    });
  }
}

/** Returns the header of a notification; undefined for any other message. */
function readMessage(data: unknown): BlockHeader | "subscribed" | undefined {
  try {
    const message = JSON.parse(String(data)) as {
      id?: unknown;
      result?: unknown;
      method?: unknown;
      params?: { result?: unknown };
    } | null;
    if (message?.id === 1 && typeof message.result === "string") return "subscribed";
    return message?.method === "eth_subscription" ? headerOf(message.params?.result) : undefined;
  } catch (thrown) {
    // Broken JSON or half a header: the poll finds the head.
    if (thrown instanceof SyntaxError || thrown instanceof NodeError) return undefined;
    throw thrown;
  }
}
