/** Events as a stream, which a client reads from anywhere. */
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { newContractCaller } from "../contract/fixtures.ts";
import {
  createResource,
  newOrganization,
  type Organization,
  randomName,
} from "../world/personas.ts";
import { baseUrl, callRest, sql } from "../world/platform.ts";

let organization: Organization;
let token: string;
beforeAll(async () => {
  organization = await newOrganization("stream");
  ({ token } = organization.owner);
});

const open: AbortController[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.abort();
});

const newRepo = async (parent = organization.uid) =>
  (await createResource(`/registry/v2/repos/${parent}`, token, { name: randomName("repo") })).uid;

/** Opens the stream. `next` returns the next event, and `text` everything so far. */
async function openStream(query = "", headers: Record<string, string> = {}, as = token) {
  const controller = new AbortController();
  open.push(controller);
  const response = await fetch(`${baseUrl()}/events/v2/events:stream?${query}`, {
    headers: { authorization: `Bearer ${as}`, ...headers },
    signal: controller.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let at = 0;
  const next = async () => {
    for (;;) {
      const end = text.indexOf("\n\n", at);
      if (end === -1) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
        if (done) return undefined;
        text += value;
        continue;
      }
      const lines = text.slice(at, end).split("\n");
      at = end + 2;
      const part = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = part("data");
      if (data) return { id: part("id"), event: part("event"), data: JSON.parse(data) };
    }
  };
  return { response, next, stop: () => controller.abort() };
}

const inTree = () => `uidp.descendantsOf=${organization.uid}`;

describe("the stream", () => {
  test("sends the events after its beginning, in order, as ListEvents shows them", async () => {
    await newRepo();
    const { response, next } = await openStream(inTree());
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const repos = [await newRepo(), await newRepo()];
    const events = [await next(), await next()];
    expect(events.map((one) => one?.data.subject)).toEqual(repos);
    const [first] = events;
    expect(first?.id).toBe(first?.data.uid);
    expect(first?.event).toBe("dev.vendor.api.platform.registry.repo.created.v1");
    const shown = await callRest(`/events/v2/events/${first?.id}`, { token });
    expect(first?.data).toEqual(shown.body);
  });

  test("resumes after the last event that the client has, without a loss or a repeat", async () => {
    const since = new Date().toISOString();
    const repos = [await newRepo(), await newRepo(), await newRepo()];
    const { next, stop } = await openStream(`${inTree()}&since=${since}`);
    const first = await next();
    expect(first?.data.subject).toBe(repos[0]);
    stop();
    const again = await openStream(inTree(), { "last-event-id": String(first?.id) });
    expect((await again.next())?.data.subject).toBe(repos[1]);
    expect((await again.next())?.data.subject).toBe(repos[2]);
    const last = await newRepo();
    expect((await again.next())?.data.subject).toBe(last);
  });

  test("applies the filters of ListEvents", async () => {
    const group = (
      await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: randomName("g") })
    ).uid;
    const { next } = await openStream(`uidp.childrenOf=${group}&types=api.platform.registry.*`);
    await newRepo();
    const repo = await newRepo(group);
    expect((await next())?.data.subject).toBe(repo);
  });

  test("sends many events at once, each once", async () => {
    const { uid, owner } = await newOrganization("many");
    const since = new Date(Date.now() - 60_000).toISOString();
    await sql(
      `insert into events (uid, id, type, source, subject, group_uid, audience, extensions, body_type, data, time)
       with recursive n(n) as (select 1 union all select n + 1 from n where n < 450)
       select '${uid}' || '/' || printf('%016x', n), n, 't', 's', n, '${uid}', 'customer', '{}', '', '{"actor":{}}', ${Date.now()} from n`,
    );
    const query = `uidp.descendantsOf=${uid}&types=t&since=${since}`;
    const { next } = await openStream(query, {}, owner.token);
    const seen: string[] = [];
    while (seen.length < 450) seen.push(String((await next())?.data.subject));
    expect(seen).toEqual(Array.from({ length: 450 }, (_, n) => String(n + 1)));
  });

  test("ends with an error when the caller loses the role", async () => {
    const caller = await newContractCaller(organization.uid, [3001]);
    const { next } = await openStream(inTree(), {}, caller.token);
    const repo = await newRepo();
    expect((await next())?.data.subject).toBe(repo);
    await sql("delete from role_bindings where identity_uid = ?", caller.uid);
    const end = await next();
    expect([end?.event, end?.data.code]).toEqual(["error", 7]);
    expect(await next()).toBeUndefined();
  });
});

describe("a stream is refused like a list:", () => {
  test.each([
    ["without a token", "", { authorization: "" }, 401],
    ["of another organization", `uidp.descendantsOf=${"0".repeat(40)}`, {}, 403],
    ["with a filter that cannot be right", "types=API", {}, 400],
    [
      "after an event that does not exist",
      "",
      { "last-event-id": `${"0".repeat(40)}/${"0".repeat(16)}` },
      400,
    ],
    ["after something that is not a uid", "", { "last-event-id": "x" }, 400],
  ])("%s", async (_, query, headers, status) => {
    const { response } = await openStream(query, headers as Record<string, string>);
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/json");
  });
});
