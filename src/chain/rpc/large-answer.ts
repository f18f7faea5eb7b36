import { createRequire } from "node:module";
import type { JSONParser } from "@streamparser/json";
import { messageOf } from "../../core/errors.ts";
import { NodeError } from "../errors/errors.ts";

const require = createRequire(import.meta.url);

/** A value that has been read whole, with its position. */
interface ReadValue {
  value: unknown;
  /** In the object or list around it; undefined for the answer itself. */
  key: string | number | undefined;
  /** The number of objects and lists around it. */
  depth: number;
}

/** Called for each value of an answer, inner ones first. It may drop fields of an object that are not needed. */
export type Sift = (read: ReadValue) => void;

/** Some 500 MB of memory, whatever the values are. */
const MOST_VALUES = 10_000_000;

/** Reads JSON piece by piece, so that no more of it is held than the sift leaves. */
export class LargeAnswer {
  readonly #parser: JSONParser;
  #values = 0;
  #answer: unknown;

  constructor(sift: Sift) {
    // Loaded with the first such answer: each chain's thread would load it.
    const json: typeof import("@streamparser/json") = require("@streamparser/json");
    this.#parser = new json.JSONParser({ stringBufferSize: 64 * 1024 });
    this.#parser.onValue = ({ value, key, stack }) => {
      this.#values++;
      sift({ value, key, depth: stack.length });
      if (stack.length === 0) this.#answer = value;
    };
  }

  /** False when there is more than can be held. Throws `NodeError` for what is no JSON. */
  read(...pieces: Uint8Array[]): boolean {
    try {
      for (const piece of pieces) this.#parser.write(piece);
    } catch (error) {
      throw new NodeError("bad-answer", `the answer is broken: ${messageOf(error)}`);
    }
    return this.#values <= MOST_VALUES;
  }

  /** The answer, after its last piece. Throws `NodeError` when it is not whole. */
  end(): unknown {
    if (!this.#parser.isEnded) throw new NodeError("bad-answer", "the answer ended too early");
    return this.#answer;
  }
}
