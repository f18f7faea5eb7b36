import { createGunzip, type Gunzip } from "node:zlib";
import type { Dispatcher } from "undici";
import { NodeError } from "../errors/errors.ts";
import { LargeAnswer, type Sift } from "./large-answer.ts";

/** An HTTP answer; its body raw, or already parsed. */
export interface ReadAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: { text: string } | { read: unknown };
}

/** Size limits of a body. */
export interface BodyLimits {
  /** Most bytes of a raw body. */
  most: number;
  /** Parser for a larger one. */
  sift: (() => Sift) | undefined;
  /** Prefix of error messages. */
  subject: string;
}

/** Reads one undici answer without a stream (docs/measurements/chains.md). Rejects with `NodeError` when too large. */
export function createAnswerReader({ most, sift, subject }: BodyLimits) {
  const { promise: answer, resolve, reject } = Promise.withResolvers<ReadAnswer>();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let head: Omit<ReadAnswer, "body"> = { status: 0, headers: {} };
  let request: Dispatcher.DispatchController | undefined;
  let failure: Error | undefined;
  let unzip: Gunzip | undefined;
  let large: LargeAnswer | undefined;

  /** Ends the request, even before it was sent. */
  function giveUp(reason: Error): void {
    failure ??= reason;
    reject(reason);
    request?.abort(reason);
    unzip?.destroy();
  }

  /** Appends a piece of the body. undici passes what it throws to `onResponseError`. */
  function take(piece: Uint8Array): void {
    bytes += piece.length;
    pieces.push(piece);
    if (bytes <= most) return;
    if (sift) large ??= new LargeAnswer(sift());
    if (!large?.read(...pieces.splice(0))) {
      throw new NodeError("response-too-large", `${subject}: the answer exceeds the limit`);
    }
  }

  function end(): void {
    const body = large
      ? { read: large.end() }
      : { text: new TextDecoder().decode(Buffer.concat(pieces)) };
    resolve({ ...head, body });
  }

  function orGiveUp(read: () => void): void {
    try {
      read();
    } catch (error) {
      giveUp(error as Error);
    }
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(controller) {
      request = controller;
      if (failure) controller.abort(failure);
    },
    onResponseStart(_, status, headers) {
      head = { status, headers };
      if (headers["content-encoding"] !== "gzip") return;
      unzip = createGunzip()
        .on("data", (piece: Uint8Array) => orGiveUp(() => take(piece)))
        .on("end", () => orGiveUp(end))
        .on("error", giveUp);
    },
    onResponseData(controller, piece) {
      if (!unzip) take(piece);
      else if (!unzip.write(piece)) {
        controller.pause();
        unzip.once("drain", () => controller.resume());
      }
    },
    onResponseEnd() {
      if (unzip) unzip.end();
      else end();
    },
    onResponseError: (_, error) => giveUp(error),
  };
  return { answer, giveUp, handler };
}
