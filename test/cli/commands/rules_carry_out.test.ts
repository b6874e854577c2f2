/** `platformctl rules approve`, `carry-out`, `cancel` and `undo`. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { waitForPulls } from "../../registry/expiry/expiring_repo.ts";
import { createResource, newIdentity } from "../../world/personas.ts";
import { baseUrl } from "../../world/platform.ts";
import { commandsOf, newStateFolder } from "../command.ts";
import { type ExpiringRepo, newExpiringRepo, plan } from "./expiring_repo.ts";

let shop: ExpiringRepo;
let digest = "";

beforeEach(async () => {
  shop = await newExpiringRepo();
  digest = await shop.pushOld("build-1");
  await shop.pushOld("build-2");
});

const digestOf = async (tag: string) =>
  (
    await shop.run(["list", "tags", "--repo", "shop", "--name", tag, "--columns", "digest"])
  ).out.trim();

const other = `sha256:${"a".repeat(64)}`;
const setTag = (name: string, to: string) =>
  shop.run(["create", "tag", `shop:${name}`, "--force", "--digest", to]);

/** The platform, which answers the first calls of a method with the plan as it is, in these states. Counts the calls. */
async function slowPlatform(method: string, uid: string, states: string[]) {
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = { authorization: request.headers.authorization ?? "" };
    const { authorization } = headers;
    const isStep = request.url?.endsWith(`:${method}`) ?? false;
    const state = isStep ? states[calls.push(method) - 1] : undefined;
    const answer =
      state !== undefined
        ? await fetch(`${baseUrl()}/registry/v2/expiryPlans/${uid}`, { headers })
        : await fetch(`${baseUrl()}${request.url}`, {
            method: request.method ?? "GET",
            headers: { authorization, "content-type": "application/json" },
            ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
          });
    const text = await answer.text();
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(
      state === undefined
        ? text
        : JSON.stringify({ ...JSON.parse(text), state: `EXPIRY_PLAN_STATE_${state}` }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  onTestFinished(() => void server.close());
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  return { calls, env: { PLATFORM_STATE: await newStateFolder(shop.organization, { url }) } };
}

describe("rules carry-out", () => {
  test("deletes the tags of the plan, and lists what was left alone with its note, with exit code 0", async () => {
    const uid = await plan(shop);
    await setTag("build-1", other);
    const { code, out, err } = await shop.run(["rules", "carry-out", uid]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^The plan is done\. Of 4: 2 deleted, 2 left alone\.\n/);
    expect(out).toMatch(/\nbuild-1 {2}\S.*\n/);
    expect(out).toContain(`you can undo it: platformctl rules undo ${uid}\n`);
    expect([await digestOf("build-1"), await digestOf("build-2")]).toEqual([other, ""]);
  });

  test("names no command that undoes a plan that has deleted nothing", async () => {
    const uid = await plan(shop);
    for (const tag of ["build-1", "build-2"]) await setTag(tag, other);
    const { code, out } = await shop.run(["rules", "carry-out", uid]);
    expect(code).toBe(0);
    expect(out).toContain("The plan is done. Of 4: 4 left alone.");
    expect(out).not.toContain("rules undo");
  });

  test("a plan that is complete is the answer again, so a command that was stopped can be repeated", async () => {
    const uid = await plan(shop);
    const first = await shop.run(["rules", "carry-out", uid, "--json"]);
    const second = await shop.run(["rules", "carry-out", uid, "--json"]);
    expect(second).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(second.out)).toEqual(JSON.parse(first.out));
    expect(JSON.parse(first.out)).toMatchObject({
      ...{ plan: { state: "EXPIRY_PLAN_STATE_DONE", deletedCount: 4 }, items: [], more: false },
    });
  });

  test("repeats the call while the plan is running, and shows on a terminal that it works", async () => {
    const uid = await plan(shop);
    const { calls, env } = await slowPlatform("carryOut", uid, ["RUNNING", "RUNNING"]);
    const { code, out, err } = await shop.run(["rules", "carry-out", uid], {
      env,
      hasPerson: true,
    });
    expect({ code, calls: calls.length }).toEqual({ code: 0, calls: 3 });
    expect(out).toContain("The plan is done. Of 4: 4 deleted.");
    expect(err).toContain("\r\u001b[KThe plan is running…\r");
    expect(err.endsWith("\r\u001b[K")).toBe(true);
  });
});

test("rules carry-out ends with 1 if someone cancels the plan in between", async () => {
  const uid = await plan(shop);
  const { env } = await slowPlatform("carryOut", uid, ["RUNNING", "CANCELED"]);
  const { code, out } = await shop.run(["rules", "carry-out", uid], { env });
  expect([code, out]).toEqual([1, "The plan is canceled.\n"]);
});

describe("rules approve", () => {
  beforeEach(async () => {
    shop = await newExpiringRepo({ approval: true });
    await shop.pushOld("build-1");
  });

  test("lets another person approve a plan, which then can be carried out", async () => {
    const made = await shop.run(["rules", "plan", "shop"]);
    expect(made.out).toMatch(/^Plan of shop: awaiting approval\n/);
    const [, command = ""] = /must approve it: platformctl (.*)\n/.exec(made.out) ?? [];
    const uid = command.split(" ").at(-1) ?? "";
    const early = await shop.run(["rules", "carry-out", uid]);
    expect([early.code, early.err]).toEqual([1, expect.stringContaining(`platformctl ${command}`)]);
    const own = await shop.run(command.split(" "));
    expect([own.code, own.out]).toEqual([1, ""]);
    const owner = await newIdentity(shop.organization, "owner");
    const second = await commandsOf({ ...shop.organization, owner });
    const approved = await second(command.split(" "));
    expect(approved).toMatchObject({ code: 0, err: "" });
    expect(approved.out).toContain(`To carry it out, run: platformctl rules carry-out ${uid}\n`);
    expect((await shop.run(["rules", "show", uid])).out).toContain(", approved by bot-");
    await waitForPulls(uid);
    expect((await shop.run(["rules", "carry-out", uid])).code).toBe(0);
    expect(await digestOf("build-1")).toBe("");
  });
});

test("rules cancel leaves everything as it is, and the next plan can be made", async () => {
  const uid = await plan(shop);
  const { code, out } = await shop.run(["rules", "cancel", uid]);
  expect([code, out]).toEqual([0, "The plan is canceled.\n"]);
  expect(await digestOf("build-1")).toBe(digest);
  const refused = await shop.run(["rules", "carry-out", uid]);
  expect([refused.code, refused.out]).toEqual([1, ""]);
  expect(await plan(shop)).not.toBe(uid);
});

describe("rules undo", () => {
  test("restores what the plan has deleted, except a tag whose name is used again, which it lists", async () => {
    const uid = await plan(shop);
    await shop.run(["rules", "carry-out", uid]);
    await setTag("build-2", other);
    const { code, out, err } = await shop.run(["rules", "undo", uid]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^The plan is undone\./);
    expect(out).toMatch(/\nNot restored:\nbuild-2 {2}\S/);
    expect([await digestOf("build-1"), await digestOf("build-2")]).toEqual([digest, other]);
    const again = await shop.run(["rules", "undo", uid]);
    expect([again.code, again.out]).toEqual([0, out]);
  });

  test("repeats the call while the plan is being undone", async () => {
    const uid = await plan(shop);
    await shop.run(["rules", "carry-out", uid]);
    const { calls, env } = await slowPlatform("undo", uid, ["UNDOING"]);
    const { code, out } = await shop.run(["rules", "undo", uid], { env });
    expect({ code, calls: calls.length }).toEqual({ code: 0, calls: 2 });
    expect(out).toContain("The plan is undone.");
    expect(await digestOf("build-1")).toBe(digest);
  });

  test("of a plan that has deleted nothing is refused, with the command that comes first", async () => {
    const uid = await plan(shop);
    const { code, err } = await shop.run(["rules", "undo", uid]);
    expect(code).toBe(1);
    expect(err).toContain(`To carry it out, run: platformctl rules carry-out ${uid}`);
  });
});

test("each command answers with the plan as JSON, and refuses what is not the uid of a plan", async () => {
  const uid = await plan(shop);
  const { token } = shop.organization.owner;
  for (const command of ["carry-out", "undo"]) {
    const { out } = await shop.run(["rules", command, uid, "-o", "json"]);
    expect(JSON.parse(out).plan.uid).toBe(uid);
  }
  await shop.pushOld("build-3");
  const next = await createResource(`/registry/v2/expiryPlans/${shop.repo}`, token, {});
  const canceled = await shop.run(["rules", "cancel", next.uid, "-o", "json"]);
  expect(JSON.parse(canceled.out).plan).toMatchObject({ state: "EXPIRY_PLAN_STATE_CANCELED" });
  for (const command of ["approve", "carry-out", "cancel", "undo"])
    expect((await shop.run(["rules", command, "shop"])).code).toBe(2);
});
