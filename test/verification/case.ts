import { readdirSync, readFileSync } from "node:fs";
import type { Address } from "../../src/core/evm/address.ts";
import type { Hex } from "../../src/core/evm/hex.ts";
import type { VerificationRequest } from "../../src/verification/request.ts";

// Cases of test/fixtures/verification: the deployment, the request, and the expected outcome.

type Settings = Record<string, unknown>;
/** Text by path, as lines. */
type Sources = Record<string, string[]>;

export interface Case {
  title: string;
  deployed: {
    /** Release of the compiler. */
    compiler: string;
    language?: "Yul";
    sources: Sources;
    settings: Settings;
    /** `path:Name`. */
    contract: string;
    /** Constructor arguments, hex digits. */
    arguments?: string;
    /** Library addresses to be linked after the compile, by `path:Name`. */
    link?: Record<string, Address>;
    /** `create2`: by a contract. `blueprint`: its init code is the deployed code (EIP-5202). */
    via?: "create2" | "blueprint";
    creation?: "unknown";
    /** The runtime code stands at another address. */
    moved?: true;
    /** The first occurrence of these digits in the runtime code is replaced. */
    tamper?: { find: string; with: string }[];
    lineEnds?: string;
  };
  /** Differs from what was deployed in what is given here. */
  request: {
    format: VerificationRequest["format"];
    compiler?: string;
    name?: string;
    sources?: Sources;
    settings?: Settings;
    arguments?: string;
    source?: string;
    lineEnds?: string;
    /** Without the newline at the end of each file. */
    trimEnd?: true;
    replace?: [string, string];
    libraries?: Record<string, Address>;
    optimizer?: { enabled: boolean; runs: number };
    evmVersion?: string;
    viaIR?: boolean;
    /** Other names for the files of a metadata form. */
    names?: Record<string, string>;
    omit?: string[];
  };
  expected:
    | {
        runtime: "full" | "partial" | null;
        creation: "full" | "partial" | null;
        arguments?: string;
        libraries?: Record<string, Address>;
        transformations?: string[];
        name?: string;
        file?: string;
        evmVersion?: string;
      }
    | { failure: string; reason: string };
  /** lib-sourcify's outcome where it differs. */
  sourcify?: string;
}

const FOLDER = new URL("../fixtures/verification/", import.meta.url);

/** All cases by the names of their files. */
export function readCases(): [name: string, it: Case][] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));
  return names.sort().map((name) => {
    const text = readFileSync(new URL(name, FOLDER), "utf8");
    return [name, JSON.parse(text) as Case];
  });
}

/** The standard JSON that the deployed contract was compiled from, without a selection of outputs. */
export function deployedInput({ deployed }: Case): StandardJson {
  return {
    language: deployed.language ?? "Solidity",
    sources: contents(textsOf(deployed.sources, deployed.lineEnds)),
    settings: deployed.settings,
  };
}

export interface StandardJson {
  language: string;
  sources: Record<string, { content: string }>;
  settings: Settings;
}

/** The standard JSON of the request. */
export function requestedInput({ deployed, request }: Case): StandardJson {
  const texts = textsOf({ ...deployed.sources, ...request.sources }, request.lineEnds);
  const changed = texts.map(([path, text]): [string, string] => [
    path,
    finish(text.replace(...(request.replace ?? ["", ""])), request.trimEnd),
  ]);
  return {
    language: deployed.language ?? "Solidity",
    sources: contents(changed),
    settings: { ...deployed.settings, ...request.settings },
  };
}

function finish(text: string, trimEnd: true | undefined): string {
  return trimEnd ? text.trimEnd() : text;
}

function textsOf(sources: Sources, lineEnd = "\n"): [path: string, text: string][] {
  return Object.entries(sources).map(([path, lines]) => [path, lines.join(lineEnd)]);
}

function contents(texts: [path: string, text: string][]): StandardJson["sources"] {
  return Object.fromEntries(texts.map(([path, content]) => [path, { content }]));
}

/** The request of a case. `metadata` is what the compiler said of the deployed contract. */
export function requestOf(it: Case, address: Address, metadata: string): VerificationRequest {
  const { deployed, request } = it;
  const input = requestedInput(it);
  const compilerVersion = request.compiler ?? deployed.compiler;
  const name = request.name ?? deployed.contract;
  const rest = {
    address,
    ...(request.arguments !== undefined && { constructorArguments: request.arguments }),
  };
  if (request.format === "metadata-files") {
    const sources = Object.entries(input.sources).map(([path, { content }]) => ({
      path: request.names?.[path] ?? path,
      text: content,
    }));
    const files = [{ path: "metadata.json", text: metadata }, ...sources];
    return {
      format: "metadata-files",
      files: files.filter(({ path }) => !request.omit?.includes(path)),
      ...rest,
    };
  }
  if (request.format === "flattened") {
    const [file] = Object.values(input.sources);
    const libraries = Object.entries(request.libraries ?? {});
    return {
      format: "flattened",
      source: request.source ?? file?.content ?? "",
      name,
      compilerVersion,
      optimizer: request.optimizer ?? { enabled: false, runs: 200 },
      ...(request.evmVersion !== undefined && { evmVersion: request.evmVersion }),
      ...(request.viaIR !== undefined && { viaIR: request.viaIR }),
      libraries: libraries.map(([library, at]) => ({ name: library, address: at })),
      ...rest,
    };
  }
  return { format: "standard-json", input: JSON.stringify(input), name, compilerVersion, ...rest };
}

/** The runtime code with the changes a case asks for. */
export function tampered(code: Hex, changes: Case["deployed"]["tamper"] = []): Hex {
  return changes.reduce<Hex>(
    (digits, change) => digits.replace(change.find, change.with) as Hex,
    code,
  );
}
