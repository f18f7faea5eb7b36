import { formatUnits } from "viem";
import { expectedDays } from "../compare/expected-days.ts";
import type { TextRow } from "../compare/rows.ts";
import { missingText } from "./parameters.ts";
import { type Answerer, fail, list } from "./wire.ts";

type Fields = (day: Readonly<Record<string, string>>) => Record<string, string | number>;

/** A fraction to so many decimal places, half up, as decimal text. */
function fraction(value: bigint, divisor: bigint, places: number): string {
  const unit = 10n ** BigInt(places);
  const scaled = divisor === 0n ? 0n : (2n * value * unit + divisor) / (2n * divisor);
  return `${scaled / unit}.${String(scaled % unit).padStart(places, "0")}`;
}

function mean(sum: string | undefined, count: string | undefined): string {
  return count === "0" ? "0" : String(BigInt(sum ?? 0) / BigInt(count ?? 1));
}

function coins(wei: string | undefined): string {
  return formatUnits(BigInt(wei ?? 0), 18);
}

/** Fields of a record besides its day, where blocks have no static reward. */
const FIELDS: Readonly<Record<string, Fields>> = {
  dailytx: (day) => ({ transactionCount: Number(day["transaction_count"]) }),
  dailynewaddress: (day) => ({ newAddressCount: Number(day["new_addresses"]) }),
  dailytxnfee: (day) => ({ transactionFee_Eth: coins(day["fees"]) }),
  dailygasused: (day) => ({ gasUsed: day["gas_used"] ?? "" }),
  dailyavggaslimit: (day) => ({ gasLimit: mean(day["gas_limit"], day["block_count"]) }),
  dailyavggasprice: (day) => ({
    maxGasPrice_Wei: day["gas_price_maximum"] ?? "0",
    minGasPrice_Wei: day["gas_price_minimum"] ?? "0",
    avgGasPrice_Wei: mean(day["gas_price_sum"], day["transaction_count"]),
  }),
  dailynetutilization: (day) => ({
    networkUtilization: fraction(BigInt(day["gas_used"] ?? 0), BigInt(day["gas_limit"] ?? 0), 4),
  }),
  dailyavgblocksize: (day) => ({
    blockSize_bytes: Number(mean(day["block_bytes"], day["block_count"])),
  }),
  dailyavgblocktime: (day) => ({
    blockTime_sec: fraction(
      BigInt(day["last_timestamp"] ?? 0) - BigInt(day["first_timestamp"] ?? 0),
      BigInt(day["block_count"] ?? 1) - 1n,
      2,
    ),
  }),
  dailyblkcount: (day) => ({
    blockCount: Number(day["block_count"]),
    blockRewards_Eth: coins(day["rewards"]),
  }),
  dailyblockrewards: (day) => ({ blockRewards_Eth: coins(day["rewards"]) }),
  dailyuncleblkcount: (day) => ({
    uncleBlockCount: Number(day["uncle_count"]),
    uncleBlockRewards_Eth: "0",
  }),
};

function known(row: TextRow): Record<string, string> {
  return Object.fromEntries(
    Object.entries(row).filter((entry): entry is [string, string] => entry[1] !== null),
  );
}

function series(fields: Fields): Answerer {
  return ({ oracle, dialect, parameters }) => {
    const bounds = { startdate: parameters.get("startdate"), enddate: parameters.get("enddate") };
    const missing = missingText(parameters, Object.keys(bounds));
    if (missing !== undefined) return fail(dialect, missing);
    for (const [name, text = ""] of Object.entries(bounds)) {
      if (!/^\d{4}-\d\d-\d\d$/.test(text)) return fail(dialect, `Invalid ${name} format`);
    }
    const { startdate = "", enddate = "" } = bounds;
    const days = expectedDays(oracle)
      .map(known)
      .filter(({ day = "" }) => day >= startdate && day <= enddate)
      .sort((left, right) => ((left["day"] ?? "") < (right["day"] ?? "") ? -1 : 1));
    if (parameters.get("sort") === "desc") days.reverse();
    const empty = "No records found";
    return list(
      dialect,
      days.map((day) => ({
        UTCDate: day["day"],
        unixTimeStamp: String(Date.parse(`${day["day"]}T00:00:00Z`) / 1000),
        ...fields(day),
      })),
      { blockscout: empty, etherscan: empty },
    );
  };
}

/** The daily series by `module/action`: one record per UTC day that has blocks. */
export const DAILY_SERIES: Readonly<Record<string, Answerer>> = Object.fromEntries(
  Object.entries(FIELDS).map(([action, fields]) => [`stats/${action}`, series(fields)]),
);
