import type { OtherRoute } from "./other-routes.ts";
import { JSON_TYPE, responses } from "./responses.ts";
import type { JsonSchema } from "./schemas.ts";
import { parametersOf } from "./sourcify.ts";

const CONTRACT = "/api/v2/smart-contracts/{address}";
const VERIFY = `${CONTRACT}/verification/via/{way}`;

/** Fields of the body; those of files are of multipart forms. */
const FIELDS: Readonly<Record<string, string>> = {
  compiler_version: "Version of the compiler, except with `sourcify`",
  contract_name: "`path:Name`, or the name alone",
  source_code: "Source, with `flattened-code` and `vyper-code`",
  is_optimization_enabled: "`true` or `false`, with `flattened-code`",
  optimization_runs: "Runs of the optimizer, with `flattened-code`",
  evm_version: "EVM version, with `flattened-code` and `vyper-code`",
  constructor_args: "Hex of the constructor's arguments; without it they are read from the chain",
  autodetect_constructor_args: "Ignored: arguments that are not sent are read from the chain",
  license_type: "Name or number of the licence",
  "files[0]":
    "File, with `standard-input` and `vyper-standard-input`: the compiler's input; with `sourcify` the metadata, and the sources in `files[1]` and so on",
};

const fields = Object.entries(FIELDS).map(([name, description]) => [
  name,
  { type: "string", description },
]);
const body = { schema: { type: "object", properties: Object.fromEntries(fields) } };

function answer(description: string, names: readonly string[], type: string) {
  const properties: JsonSchema = Object.fromEntries(names.map((name) => [name, { type }]));
  const schema = { type: "object", properties, required: names };
  return { description, content: { [JSON_TYPE]: { schema } } };
}

const message = (description: string) => answer(description, ["message"], "string");

/** The verification paths of Blockscout's REST API. */
export const restRoutes: readonly OtherRoute[] = [
  {
    path: CONTRACT,
    method: "get",
    operationId: "restSmartContract",
    tag: "contract",
    summary: "Whether a contract is verified, by Blockscout's REST path",
    parameters: parametersOf({ path: CONTRACT }),
    responses: responses({
      200: answer(
        "The levels of its verification",
        ["is_verified", "is_fully_verified", "is_partially_verified"],
        "boolean",
      ),
      422: message("The address is malformed"),
    }),
  },
  {
    path: VERIFY,
    method: "post",
    operationId: "restVerify",
    tag: "contract",
    summary: "Submits a verification by Blockscout's REST path",
    parameters: parametersOf({ path: VERIFY }),
    requestBody: { required: true, content: { "multipart/form-data": body, [JSON_TYPE]: body } },
    responses: responses({
      200: message("The verification waits; the GET of the contract shows its outcome"),
      404: message("No contract at the address, or an unknown way"),
      422: message("The address is malformed, or the contract is verified already"),
    }),
  },
];
