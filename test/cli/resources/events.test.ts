import { beforeAll, describe, expect, test } from "vitest";
import {
  createResource,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import { commandsOf } from "../command.ts";

let organization: Organization;
let run: Awaited<ReturnType<typeof commandsOf>>;
let subscription: string;
let repo: string;
beforeAll(async () => {
  organization = await newOrganization();
  run = await commandsOf(organization);
  const { token } = organization.owner;
  const sink = `https://${randomName("hooks")}.example/events`;
  subscription = (
    await createResource(`/events/v2/subscriptions/${organization.uid}`, token, { sink })
  ).uid;
  repo = (await createResource(`/registry/v2/repos/${organization.uid}`, token, { name: "app" }))
    .uid;
});

const succeed = async (...args: string[]) => {
  const { code, out, err } = await run(args);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out;
};
const done = (...args: string[]) => succeed(...args, "--group", organization.name);

describe("platformctl events list", () => {
  test("prints time, type, subject and actor, newest first", async () => {
    const lines = (await done("events", "list")).trim().split("\n");
    const cells = lines.map((line) => line.split("\t"));
    const { uid } = organization.owner;
    expect(cells.map(([, type, subject, actor]) => [type, subject, actor])).toEqual(
      expect.arrayContaining([
        ["api.events.subscription.created.v1", subscription, uid],
        ["api.platform.registry.repo.created.v1", repo, uid],
      ]),
    );
    const times = cells.map(([time]) => time);
    expect(times).toEqual(times.toSorted().reverse());
  });

  test("prints whole events as lines of JSON, and applies its filters", async () => {
    const lines = (await done("events", "list", "-o", "jsonl", "--type", "api.platform.*")).trim();
    const [event, ...more] = lines.split("\n").map((line) => JSON.parse(line));
    expect(more).toEqual([]);
    expect(event).toMatchObject({ subject: repo, body: { name: "app" } });
    for (const filter of [
      ["--about", repo],
      ["--repo", repo],
      ["--request-id", event.requestId, "--about", repo],
      ["--by", organization.owner.uid, "--about", repo],
      ["--by", "me", "--repo", "app"],
    ]) {
      const found = (await done("events", "list", "-o", "jsonl", ...filter)).trim();
      expect({ filter, found }).toEqual({ filter, found: lines });
    }
    expect(await done("events", "list", "--tag", "none")).toBe("");
    expect(await done("events", "list", "--until", "1h")).toBe("");
  });

  test("refuses a time that is none", async () => {
    const { code, err } = await run(["events", "list", "--since", "soon"]);
    expect([code, err]).toEqual([2, expect.stringContaining("soon is not a time")]);
  });
});

test("the secret of a new subscription is shown once, and lists show whether it gets events", async () => {
  const sink = `https://${randomName("hooks")}.example/`;
  const made = await done("create", "subscription", "--sink", sink);
  expect(made).toMatch(/^Created subscription .*\nSecret: {2}whsec_[A-Za-z0-9+/]{43}=\n$/);
  const stateOf = async () =>
    (await done("list", "subscriptions"))
      .split("\n")
      .find((line) => line.startsWith(sink))
      ?.split("\t")[1];
  const [{ uid } = { uid: "" }] = await sql<{ uid: string }>(
    "select uid from subscriptions where sink = ?",
    sink,
  );
  const set = (columns: string) => sql(`update subscriptions set ${columns} where uid = ?`, uid);
  await set("confirm_time = null");
  expect(await stateOf()).toBe("unconfirmed");
  expect(await succeed("describe", "subscription", uid)).toMatch(/^Confirmed: +not yet$/m);
  await set("confirm_time = 1");
  expect(await stateOf()).toBe("active");
  expect(await succeed("describe", "subscription", uid)).toMatch(/^Confirmed: +1970-01-01T/m);
  await set("failing_since = 1");
  expect(await stateOf()).toBe("failing");
  await set("disable_time = 1");
  expect(await stateOf()).toBe("disabled");
});

describe("platformctl subscriptions", () => {
  test("rotate-secret prints the new secret", async () => {
    const rotated = await succeed(
      "subscriptions",
      "rotate-secret",
      subscription,
      "--overlap",
      "1h",
    );
    expect(rotated).toMatch(/^Secret {2}whsec_[A-Za-z0-9+/]{43}=\n$/);
  });

  test("deliveries prints the state and the outcome of each delivery", async () => {
    const none = { code: 0, out: "", err: "" };
    expect(await run(["deliveries", "--subscription", subscription])).toEqual(none);
    const attempts = [{ time: 1, latency: 80, status: 503, error: "", response: "" }];
    await sql(
      `insert into deliveries (uid, event_seq, pool, partition, create_time, attempts)
       select ?, seq, '', '', 1, ? from events where subject = ? limit 1`,
      ...[`${subscription}/${"a".repeat(16)}`, JSON.stringify(attempts), subscription],
    );
    const [line] = (await succeed("deliveries", "--subscription", subscription)).split("\n");
    expect(line?.split("\t")).toEqual([
      "1970-01-01T00:00:00.001Z",
      "pending",
      "api.events.subscription.created.v1",
      "503",
      `${subscription}/${"a".repeat(16)}`,
    ]);
    expect(await run(["deliveries", "--subscription", subscription, "--state", "failed"])).toEqual(
      none,
    );
    const shown = await run(["deliveries", "--subscription", subscription], { columns: 120 });
    expect(shown.out).toContain("RESPONSE");
  });

  test("redeliver sends the events of a period or of a delivery again", async () => {
    expect(await succeed("redeliver", subscription, "--since", "1h")).toMatch(
      /^\d+ events? will be sent again\.\n$/,
    );
    const one = `${subscription}/${"a".repeat(16)}`;
    expect(await succeed("redeliver", subscription, "--delivery", one)).toBe(
      "1 event will be sent again.\n",
    );
    const { code, err } = await run(["redeliver", subscription]);
    expect([code, err]).toEqual([2, expect.stringContaining("Add either --since or --delivery.")]);
  });
});
