/**
 * What Cloudflare charges on the Workers Paid plan beyond what a month includes, in US dollars, as
 * published and read on 2026-11-21. Rows of indexes count as rows too, and are in what we measure.
 */

/** A million rows read or written (https://developers.cloudflare.com/d1/platform/pricing/). */
export const millionRows = { read: 0.001, written: 1 };

/** A million requests (https://developers.cloudflare.com/workers/platform/pricing/). */
export const millionRequests = 0.3;

/**
 * A million milliseconds of CPU time (same page): what each millisecond of a call adds to the price
 * of a million calls. No local runtime tells CPU time as it is billed, so prices are without it.
 */
export const millionCpuMilliseconds = 0.02;

/** Dollars for a million calls that each read and write so many rows. Storage and CPU time come on top. */
export const priceOfMillion = (rows: { rowsRead: number; rowsWritten: number }): number =>
  millionRequests + rows.rowsRead * millionRows.read + rows.rowsWritten * millionRows.written;
