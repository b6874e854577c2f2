/** The deliveries of several subscriptions as one list, newest first. */
import type { Client, Delivery, DeliveryState, Page } from "../../client/index.ts";

/** How far one subscription has been read. Null at its end. */
type Position = { pageToken: string; skip: number } | null;

/** How far each subscription has been read, by its uid. The page token of the merged list is this in JSON. */
type Places = Record<string, Position>;

interface MergedRequest {
  subscriptions: readonly string[];
  state?: DeliveryState | undefined;
  pageSize: number;
  pageToken?: string | undefined;
}

/** A page of one subscription, and how it continues. */
interface Part {
  uid: string;
  position: { pageToken: string; skip: number };
  page: Page<Delivery>;
}

const timeOf = ({ createTime }: Delivery) => Date.parse(createTime);

/** Returns a page of the merged list. It has about `pageSize` rows. */
export async function mergedPage(
  client: Client,
  { subscriptions, state, pageSize, pageToken = "" }: MergedRequest,
): Promise<Page<Delivery>> {
  const places: Places =
    pageToken === ""
      ? Object.fromEntries(subscriptions.map((uid) => [uid, { pageToken: "", skip: 0 }]))
      : (JSON.parse(pageToken) as Places);
  const size = Math.max(20, Math.ceil(pageSize / Math.max(1, subscriptions.length)));
  const parts = await Promise.all(
    Object.entries(places).flatMap(([uid, position]) =>
      position === null ? [] : [readPart(client, { uid, position, state, size })],
    ),
  );
  // Further rows of a subscription are older than the last row of its page.
  const limits = parts.flatMap(({ page: { rows, nextPageToken } }) => {
    const last = rows.at(-1);
    return nextPageToken !== undefined && last ? [timeOf(last)] : [];
  });
  const limit = Math.max(...limits);
  const next: Places = {};
  const rows = parts.flatMap(({ uid, position, page }) => {
    const taken = page.rows.filter((row) => timeOf(row) >= limit);
    const isRead = taken.length === page.rows.length;
    if (!isRead) next[uid] = { ...position, skip: position.skip + taken.length };
    else if (page.nextPageToken) next[uid] = { pageToken: page.nextPageToken, skip: 0 };
    return taken;
  });
  rows.sort((a, b) => timeOf(b) - timeOf(a));
  const isEnd = Object.keys(next).length === 0;
  return { rows, skipped: 0, ...(isEnd ? {} : { nextPageToken: JSON.stringify(next) }) };
}

interface PartRequest {
  uid: string;
  position: { pageToken: string; skip: number };
  state: DeliveryState | undefined;
  size: number;
}

async function readPart(
  client: Client,
  { uid, position, state, size }: PartRequest,
): Promise<Part> {
  const { pageToken, skip } = position;
  const listing = client.deliveries.list({
    parent: uid,
    pageSize: size,
    ...(state === undefined ? {} : { state }),
    ...(pageToken === "" ? {} : { pageToken }),
    ...(skip === 0 ? {} : { skip }),
  });
  return { uid, position, page: await listing.page() };
}
