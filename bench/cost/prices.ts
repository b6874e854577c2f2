/**
 * The prices of Cloudflare in US dollars on the Workers Paid plan, beyond what a month includes, as published on
 * 2026-11-21. Rows of indexes also count as rows, and the measurements include them.
 */

/** For a million rows read or written (https://developers.cloudflare.com/d1/platform/pricing/). */
export const millionRows = { read: 0.001, written: 1 };

/** For a million requests (https://developers.cloudflare.com/workers/platform/pricing/). */
export const millionRequests = 0.3;

/**
 * For a million milliseconds of CPU time (same page), which is what each millisecond of a call adds to the price of a
 * million calls. No local runtime reports CPU time as it is billed, so prices do not include it.
 */
export const millionCpuMilliseconds = 0.02;

/** For a million operations of a queue (https://developers.cloudflare.com/queues/platform/pricing/). */
export const millionQueueOperations = 0.4;

/** A message is written, read and deleted once each (same page). */
export const operationsPerMessage = 3;

/**
 * Returns the dollars for a million calls that each read and write this number of rows. Storage and CPU time are extra.
 */
export const priceOfMillion = (rows: { rowsRead: number; rowsWritten: number }): number =>
  millionRequests + rows.rowsRead * millionRows.read + rows.rowsWritten * millionRows.written;
