import { z } from "zod";
import { getLookupBytes, getVerifiedMatch } from "../../../store/contracts/verified/lookup.ts";
import { jsonAnswer } from "../../http/answer.ts";
import { type Endpoint, requireAddress, requireChain } from "../endpoint.ts";
import { FIELD_NAMES, listNeeds, presentLookup, readFields, readLookup } from "../lookup.ts";
import { minimalContract, presentMatch } from "../match.ts";

const schema = minimalContract.extend(
  Object.fromEntries(FIELD_NAMES.map((name) => [name, z.unknown().optional()])),
);

export const contract: Endpoint = {
  name: "contract",
  path: "/v2/contract/{chainId}/{address}",
  summary: "How a contract matches, and what is known of it",
  query: {
    fields: `Names separated by commas, or all; a dot selects one name below a field: ${FIELD_NAMES.join(", ")}`,
    omit: "All fields except these; not together with fields",
  },
  answers: {
    200: { description: "The contract is verified", schema },
    404: { description: "It is not verified", schema: minimalContract },
  },
  async handle(context, request) {
    requireChain(context, request);
    const address = requireAddress(request);
    const wanted = readFields(request.query("fields"), request.query("omit"));
    const { chain, largeAnswers, read, chainId } = context;
    return largeAnswers.make(
      (sql) => getLookupBytes(sql, address, listNeeds(wanted)),
      async () => {
        const { match, lookup } = await read(async (sql, head) => {
          const found = await getVerifiedMatch(sql, address);
          return {
            match: found,
            lookup: found && (await readLookup(sql, await head, address, wanted)),
          };
        });
        const minimal = presentMatch(chainId(), address, match);
        if (!lookup) return jsonAnswer(minimal, 404, { code: "not-verified" });
        const fields = await presentLookup(chain, address, wanted, lookup);
        return jsonAnswer({ ...fields, ...minimal });
      },
    );
  },
};
