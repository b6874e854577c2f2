/** `READS = "nearest"` in a real Worker, with the sessions and bookmarks of a real D1. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Sending, startSending } from "../../events/deliveries/sending.ts";

let platform: Sending;
beforeAll(async () => {
  platform = await startSending({ READS: "nearest" }, false);
});
afterAll(() => platform?.close());

test("D1 accepts the bookmarks of its writes and reads, with and without a heartbeat", async () => {
  const organization = await platform.newOrganization();
  const call = async (path: string, bookmark: string, body?: object) => {
    const response = await fetch(platform.origin + path, {
      method: body ? "POST" : "GET",
      headers: {
        authorization: `Bearer ${platform.token}`,
        ...(bookmark === "" ? {} : { "x-d1-bookmark": bookmark }),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const next = response.headers.get("x-d1-bookmark") ?? "";
    return { status: response.status, next, body: await response.json() };
  };
  let bookmark = "";
  for (const hasHeartbeat of [false, true]) {
    if (hasHeartbeat) await platform.runSchedule();
    for (const name of ["a", "b"]) {
      const written = await call(`/registry/v2/repos/${organization}`, bookmark, {
        name: `${name}-${hasHeartbeat}`,
      });
      expect([written.status, written.next]).toEqual([200, expect.stringMatching(/^[\w-]+$/)]);
      bookmark = written.next;
    }
    const list = `/registry/v2/repos?uidp.descendantsOf=${organization}&page_size=1&page_token=`;
    const page = await call(list, bookmark);
    const [, carried] = page.body.nextPageToken.split("~");
    expect([page.status, page.next, carried]).toEqual([200, carried, page.next]);
    const next = await call(`${list}${page.body.nextPageToken}`, `${page.next},${bookmark}`);
    expect([next.status, next.body.repos.length]).toEqual([200, 1]);
    bookmark = next.next;
  }
});
