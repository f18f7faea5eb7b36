import { createRequire } from "node:module";

/** solc compiled to JavaScript, loaded into this process. */
export interface Soljson {
  /** In the compiler's form: `0.8.20+commit.a1b79de6.Emscripten.clang`. */
  version: string;
  /** Compiles standard JSON synchronously. */
  compile(input: string): string;
}

interface EmscriptenModule {
  HEAPU8: Uint8Array;
  _malloc(size: number): number;
  _solidity_alloc?(size: number): number;
  _solidity_version?(): number;
  /** Returns up to 0.4.26. */
  _version(): number;
  _solidity_compile?(input: number, callback: number, context: number): number;
  /** 0.4.11 to 0.4.26. */
  _compileStandard?(input: number, callback: number): number;
  _solidity_reset?(): void;
  UTF8ToString(pointer: number): string;
  /** Up to 0.5.17, beside a `UTF8ToString` that is not exported. */
  Pointer_stringify?(pointer: number): string;
}

/** Loads a soljson without imports. Input goes to the heap: the npm wrapper's stack breaks at 1 MiB; it translates up to 0.4.10. */
export function loadSoljson(file: string): Soljson {
  const require = createRequire(import.meta.url);
  const module = keepingHandlers(() => require(file) as EmscriptenModule);
  const textAt = module.Pointer_stringify ?? module.UTF8ToString;
  const run = module._solidity_compile ?? module._compileStandard;
  return {
    version: textAt((module._solidity_version ?? module._version)()),
    compile:
      run === undefined
        ? (require("solc/wrapper") as (module: EmscriptenModule) => Soljson)(module).compile
        : (input) => {
            const output = textAt(run(copyToHeap(module, input), 0, 0));
            module._solidity_reset?.();
            return output;
          },
  };
}

/** Loads without its process handlers, which would end this process silently at later failures. */
function keepingHandlers<Result>(load: () => Result): Result {
  const events = ["unhandledRejection", "uncaughtException"];
  const before = events.map((event) => process.rawListeners(event));
  const result = load();
  events.forEach((event, index) => {
    process.removeAllListeners(event);
    for (const listener of before[index] ?? []) process.on(event, listener as () => void);
  });
  return result;
}

/** Copies the text into the compiler's memory, which then owns it; returns the address. */
function copyToHeap(module: EmscriptenModule, text: string): number {
  const bytes = Buffer.from(text, "utf8");
  const pointer = (module._solidity_alloc ?? module._malloc)(bytes.length + 1);
  // Read after the allocation, since a growing heap is another array.
  module.HEAPU8.set(bytes, pointer);
  module.HEAPU8[pointer + bytes.length] = 0;
  return pointer;
}
