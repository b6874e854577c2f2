/** Reads the figures that the registry host puts into `server-timing` if it runs with `METER=true`. */
import type { Meter } from "../../src/rpc/session.ts";
import { costOf } from "../../test/world/server_timing.ts";
import type { TransferResponse } from "./transfer.ts";

/** The cost of one request in D1 and R2. */
export interface RequestCost extends Meter {
  /** Calls to R2. */
  reads: number;
  writes: number;
  /** The most bytes that were taken from the body and that R2 had not acknowledged. */
  mostPending: number;
}

/** Reads the cost of a request from its response. Throws an Error if the response does not contain it. */
export function requestCost({ headers }: Pick<TransferResponse, "headers">): RequestCost {
  const text = String(headers["server-timing"] ?? "");
  const figure = (name: string) => {
    const value = new RegExp(`[" ]${name}=(\\d+)`).exec(text)?.[1];
    if (value === undefined) throw new Error(`no ${name} in server-timing: ${text}`);
    return Number(value);
  };
  return {
    ...costOf(text),
    reads: figure("reads"),
    writes: figure("writes"),
    mostPending: figure("most_pending"),
  };
}
