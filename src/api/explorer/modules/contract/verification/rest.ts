import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from "fastify";
import type { ErrorCode } from "../../../../../core/errors.ts";
import { type Address, isAddress, lowerAddress } from "../../../../../core/evm/address.ts";
import { isRecord } from "../../../../../core/json/record.ts";
import { getVerifiedMatch } from "../../../../../store/contracts/verified/lookup.ts";
import type { VerificationForm } from "../../../../../verification/request.ts";
import { jsonAnswer, send } from "../../../../http/answer.ts";
import { type Input, lookUp } from "../../../../http/input/form.ts";
import { addMultipart } from "../../../../http/input/multipart.ts";
import { parseRequest } from "../../../../http/input/request.ts";
import type { RateLimiter } from "../../../../http/rate-limit.ts";
import { requireSynchronised } from "../../../../reading/snapshot.ts";
import { decideChain } from "../../../../serving/served-chain.ts";
import * as submission from "./submission.ts";

// The verification paths of Blockscout's REST API; titanoboa uses only these. They share the actions' jobs.

const CONTRACT = "/api/v2/smart-contracts/:address";

/** The actions' names of the fields. */
const RENAMED: Readonly<Record<string, string>> = {
  compiler_version: "compilerVersion",
  source_code: "sourceCode",
  contract_name: "name",
  is_optimization_enabled: "optimization",
  optimization_runs: "runs",
  evm_version: "evmVersion",
  constructor_args: "constructorArguments",
  autodetect_constructor_args: "autodetectConstructorArguments",
  license_type: "licenseType",
};

/** Adds the paths. */
export function addRestVerification(app: FastifyInstance, limiter: RateLimiter): void {
  app.get(CONTRACT, { onRequest: limiter.admit }, async (request, reply) => {
    const { sql, verifier } = decideChain(request);
    const address = addressIn(request);
    if (address === undefined) return send(reply, INVALID);
    const isVerified = (await getVerifiedMatch(sql, address)) !== undefined;
    const isFull = isVerified && (await verifier.isFullyVerified(address));
    const levels = { is_fully_verified: isFull, is_partially_verified: isVerified && !isFull };
    return send(reply, jsonAnswer({ is_verified: isVerified, ...levels }));
  });
  const answer: RouteHandlerMethod = async (request, reply) => {
    const parsing = parseRequest(request);
    await limiter.admitBody(request, reply, parsing);
    const input = renamed((await parsing).input);
    const { way = "" } = request.params as Record<string, string>;
    request.actionName = "contract/rest-verification";
    const address = addressIn(request);
    const form = readForm(way, input);
    if (form === undefined) return send(reply, message("Not found", 404, "unknown-path"));
    if (address === undefined) return send(reply, INVALID);
    const { sql, verifier } = decideChain(request);
    await requireSynchronised(sql);
    const verification = { ...form, address, ...submission.commonFields(input) };
    const { outcome } = await submission.submit(
      verifier,
      verification,
      limiter.clientOf(request, input),
    );
    return send(reply, message(...ANSWERS[outcome]));
  };
  app.register((scope, _options, done) => {
    addMultipart(scope);
    const options = { onRequest: limiter.admitUnlessBody, config: { takesSources: () => true } };
    scope.post(`${CONTRACT}/verification/via/:way`, options, answer);
    done();
  });
}

const NODE_GONE = "The node is not reachable now, please try again later";
type Message = [text: string, httpStatus: number, code?: ErrorCode];

const ANSWERS: Readonly<Record<Awaited<ReturnType<typeof submission.submit>>["outcome"], Message>> =
  {
    accepted: ["Smart-contract verification started", 200],
    "already-verified": ["Already verified", 422, "already-verified"],
    "no-code": [submission.NO_CODE, 404, "not-a-contract"],
    "no-metadata": ["Sourcify did not return metadata", 422, "verification-failed"],
    "too-large": [submission.SOURCES_TOO_LARGE, 413, "too-long"],
    "node-unreachable": [NODE_GONE, 503, "node-unreachable"],
    "queue-full": [submission.LIMIT_TEXTS["queue-full"], 429, "rate-limited"],
    "client-full": [submission.LIMIT_TEXTS["client-full"], 429, "rate-limited"],
    "too-many": [submission.LIMIT_TEXTS["too-many"], 429, "rate-limited"],
  };

function message(...[text, httpStatus, code]: Message) {
  return jsonAnswer({ message: text }, httpStatus, code && { code });
}
const INVALID = message("Invalid parameter(s)", 422, "invalid-parameter");

function addressIn(request: FastifyRequest): Address | undefined {
  const { address } = request.params as Record<string, string>;
  return isAddress(address) ? lowerAddress(address) : undefined;
}

/** Parses the fields of a request to `verification/via/{way}`; undefined for an unknown way. */
function readForm(way: string, input: Input): VerificationForm | undefined {
  const { name, compilerVersion, source } = submission.readOneFile(input);
  const sent = lookUp(input, "files") ?? [];
  const files = submission.isFile(sent)
    ? [sent]
    : typeof sent === "string"
      ? []
      : Object.values(sent).filter(submission.isFile);
  const [file = { fileName: "", content: "" }] = files;
  switch (way) {
    case "flattened-code": {
      const isOptimized = submission.readOptimization(input, "is_optimization_enabled") === true;
      const settings = submission.flattenedSettings(input, isOptimized);
      return { format: "flattened", source, name, compilerVersion, ...settings };
    }
    case "standard-input":
      return { format: "standard-json", input: file.content, name, compilerVersion };
    case "vyper-code": {
      const evmVersion = submission.given(input, submission.SPELLINGS.evmVersion);
      const evm = evmVersion === undefined ? {} : { evmVersion };
      return { format: "vyper", source, name, compilerVersion, ...evm };
    }
    case "vyper-standard-input": {
      const main = name === "" ? selectedFile(file.content) : name;
      return { format: "vyper-json", input: file.content, name: main, compilerVersion };
    }
    case "sourcify": {
      const texts = files.map(({ fileName, content }) => ({ path: fileName, text: content }));
      return { format: "metadata-files", files: texts };
    }
    default:
      return undefined;
  }
}

function renamed(input: Input): Input {
  return new Map([...input].map(([name, value]) => [RENAMED[name.toLowerCase()] ?? name, value]));
}

/** Returns `path:` of the one file in the output selection of Vyper's input; empty for several. */
function selectedFile(text: string): string {
  try {
    const { settings } = JSON.parse(text);
    const paths = isRecord(settings?.outputSelection) ? Object.keys(settings.outputSelection) : [];
    const [path] = paths;
    return path !== undefined && paths.length === 1 && path !== "*" ? `${path}:` : "";
  } catch {
    return "";
  }
}
