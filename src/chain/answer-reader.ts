import { createGunzip, type Gunzip } from "node:zlib";
import type { Dispatcher } from "undici";
import { NodeError } from "./errors.ts";
import { LargeAnswer, type Sift } from "./large-answer.ts";

/** An answer over HTTP; its body as it came, or read already. */
export interface ReadAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: { text: string } | { read: unknown };
}

/** Bounds of a body. */
export interface BodyLimits {
  /** In bytes, of what is held as it came. */
  most: number;
  /** How a larger one is read. */
  sift: (() => Sift) | undefined;
  /** Begins the words of an error. */
  subject: string;
}

/** What reads one answer of undici's as it comes, without a stream for each (docs/benchmarks.md, "Several chains"). */
export class AnswerReader implements Dispatcher.DispatchHandler {
  readonly #limits: BodyLimits;
  readonly #answer = Promise.withResolvers<ReadAnswer>();
  #controller: Dispatcher.DispatchController | undefined;
  #failure: Error | undefined;
  #status = 0;
  #headers: ReadAnswer["headers"] = {};
  #unzip: Gunzip | undefined;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #large: LargeAnswer | undefined;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /**
   * The whole answer. Rejects with what it was given up for: a `NodeError` where the body is too large, what undici and zlib
   * say otherwise.
   */
  get answer(): Promise<ReadAnswer> {
    return this.#answer.promise;
  }

  /** Ends the request, also before it was sent. */
  giveUp(reason: Error): void {
    this.#failure ??= reason;
    this.#answer.reject(reason);
    this.#controller?.abort(reason);
    this.#unzip?.destroy();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure) controller.abort(this.#failure);
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: ReadAnswer["headers"],
  ): void {
    this.#status = status;
    this.#headers = headers;
    if (headers["content-encoding"] === "gzip") this.#unzip = this.#createUnzip();
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Uint8Array): void {
    if (!this.#unzip) this.#take(piece);
    else if (!this.#unzip.write(piece)) {
      controller.pause();
      this.#unzip.once("drain", () => controller.resume());
    }
  }

  onResponseEnd(): void {
    if (this.#unzip) this.#unzip.end();
    else this.#end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.giveUp(error);
  }

  #createUnzip(): Gunzip {
    const unzip = createGunzip();
    const orGiveUp = (read: () => void) => {
      try {
        read();
      } catch (error) {
        this.giveUp(error as Error);
      }
    };
    unzip.on("data", (piece: Uint8Array) => orGiveUp(() => this.#take(piece)));
    unzip.on("end", () => orGiveUp(() => this.#end()));
    unzip.on("error", (error) => this.giveUp(error));
    return unzip;
  }

  /** Takes a piece of the body. What it throws undici gives to `onResponseError`. */
  #take(piece: Uint8Array): void {
    const { most, sift, subject } = this.#limits;
    this.#bytes += piece.length;
    this.#pieces.push(piece);
    if (this.#bytes <= most) return;
    if (sift) this.#large ??= new LargeAnswer(sift());
    if (!this.#large?.read(...this.#pieces.splice(0))) {
      throw new NodeError("response-too-large", `${subject}: the answer exceeds the limit`);
    }
  }

  #end(): void {
    const body = this.#large
      ? { read: this.#large.end() }
      : { text: new TextDecoder().decode(Buffer.concat(this.#pieces)) };
    this.#answer.resolve({ status: this.#status, headers: this.#headers, body });
  }
}
