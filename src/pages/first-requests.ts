import type { ShellContent } from "./shell.ts";

type Parameters = Readonly<Record<string, string>>;

/** Returns a page's first requests, exactly as in its module (`browser/api.js`), so that the browser reuses the answers. */
export function firstRequests(
  { page, subject = "" }: ShellContent,
  chainId: number | null,
): readonly string[] {
  switch (page) {
    case "transaction":
      return [
        action("transaction", "gettxinfo", { txhash: subject, details: "true" }),
        action("transaction", "listtransfers", { txhash: subject, page: "1", offset: "25" }),
        actionV2(chainId, "account", "txlistinternal", {
          txhash: subject,
          sort: "asc",
          include_zero_value: "true",
          names: "true",
        }),
      ];
    case "block":
      return [action("block", "getblock", { block: subject })];
    case "token":
      return [
        action("token", "getToken", { contractaddress: subject }),
        action("token", "tokenholdercount", { contractaddress: subject }),
      ];
    case "address":
      return [
        action("account", "balance", { address: subject }),
        action("contract", "getcontractcreation", { contractaddresses: subject }),
        action("contract", "getabi", { address: subject }),
      ];
    default:
      return [];
  }
}

function action(module: string, name: string, parameters: Parameters): string {
  return `api?${new URLSearchParams({ module, action: name, ...parameters })}`;
}

function actionV2(
  chainId: number | null,
  module: string,
  name: string,
  parameters: Parameters,
): string {
  const chain = chainId === null ? {} : { chainid: String(chainId) };
  return `v2/api?${new URLSearchParams({ ...chain, module, action: name, ...parameters })}`;
}
