import type { FetchedBlock } from "../types.ts";
import { completeHeader } from "./headers.ts";
import { leaveOutUnexecuted } from "./not-executed.ts";
import { alignReceipts } from "./receipt-lists.ts";
import { completeReceipts } from "./receipts.ts";
import { completeTransactions } from "./transactions.ts";

// Forms in which nodes of other chains answer. Each file brings one of them into the form of the execution-apis
// specification, and notes in `oddities` what it left out. Blocks that follow the specification pass through as they are.
// A form is recognised by the answer, never by the chain's id. docs/contributing.md describes how to add one.

/** Returns a block without its receipts in the common form. */
export function inCommonForm(fetched: FetchedBlock): FetchedBlock {
  return completeTransactions(completeHeader(fetched));
}

/** Returns a block with one receipt for each transaction, in their order, where the list has them. */
export function withReceiptsInOrder(fetched: FetchedBlock): FetchedBlock {
  return completeReceipts(alignReceipts(fetched));
}

/** Returns a block for which no further receipts can be had without the transactions that have none. */
export function withExecutedOnly(fetched: FetchedBlock): FetchedBlock {
  return leaveOutUnexecuted(completeReceipts(alignReceipts(fetched)));
}
