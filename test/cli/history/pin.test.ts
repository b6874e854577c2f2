import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addMoves,
  digestNumber,
  firstMove,
  hourMs,
  newImage,
  newVerified,
  publicImage,
} from "../../distribution/stored_images.ts";
import type { Organization } from "../../world/personas.ts";
import { baseUrl } from "../../world/platform.ts";
import { startAnonymous } from "../anonymous.ts";
import { commandsOf, newStateFolder } from "../command.ts";

let organization: Organization;
let repo = "";
let image = "";
let platformctl: Awaited<ReturnType<typeof commandsOf>>;
let env: NodeJS.ProcessEnv = {};
const host = () => new URL(baseUrl()).host;

beforeAll(async () => {
  organization = await newVerified();
  repo = await newImage(organization, "python");
  image = `${organization.name}/python`;
  platformctl = await commandsOf(organization);
  env = { PLATFORM_STATE: await newStateFolder(organization, { registryUrl: baseUrl() }) };
});

const pin = (...args: string[]) => platformctl(["pin", ...args], { env });
const at = (n: number, milliseconds = 0) =>
  new Date(firstMove + n * hourMs + milliseconds).toISOString();
const reference = (n: number) => `${host()}/${image}@${digestNumber(n)}\n`;

test("the current digest is printed, and nothing else", async () => {
  expect(await pin(image)).toEqual({ code: 0, out: reference(2), err: "" });
  expect(await pin(`${host()}/${image}:latest`)).toEqual({ code: 0, out: reference(2), err: "" });
});

test.each([
  ["at the exact time of a record, its digest is the one", at(1), 1],
  ["a millisecond earlier, the digest before is the one", at(1, -1), 0],
  ["exactly when the first came, it is the first", at(0), 0],
  ["long after the last, it is the last", "1s", 2],
  ["in another time zone, the moment counts", "2026-01-01T03:00:00+02:00", 1],
])("%s", async (_, moment, n) => {
  expect(await pin(`${image}@${moment}`)).toEqual({ code: 0, out: reference(n), err: "" });
});

test("at a time before the tag existed, the first digest is named, and how to pin it", async () => {
  const { code, out, err } = await pin(`${image}@${at(0, -1)}`);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain(`did not exist at ${at(0, -1)}. Its first digest is from ${at(0)}`);
  const [, command = ""] = /^To pin that digest, run: platformctl pin (.*)$/m.exec(err) ?? [];
  expect(await pin(command)).toEqual({ code: 0, out: reference(0), err: "" });
});

test("the right record is found among thousands", async () => {
  await addMoves(repo, "many", 2345);
  expect((await pin(`${image}:many@${at(1, 1)}`)).out).toBe(reference(1));
  expect((await pin(`${image}:many@${at(1500, 1)}`)).out).toBe(reference(1500));
  expect((await pin(`${image}:many`)).out).toBe(reference(2344));
});

test("--keep-tag keeps the tag in the reference, and --json prints the record", async () => {
  const kept = await pin("--keep-tag", `${image}:latest`);
  expect(kept.out).toBe(`${host()}/${image}:latest@${digestNumber(2)}\n`);
  const { out } = await pin(`${image}@${at(1, 5)}`, "--json");
  expect(JSON.parse(out)).toEqual({
    reference: reference(1).trimEnd(),
    digest: digestNumber(1),
    tag: "latest",
    updateTimestamp: at(1),
    at: at(1, 5),
  });
});

test.each([
  [`a/b@${digestNumber(1)}`, /already contains a digest/],
  ["a/b@2999-01-01", /is in the future/],
  ["a/b@soon", /soon is not a time/],
])("%s is bad usage", async (text, message) => {
  const { code, out, err } = await pin(text);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(message);
});

test("the error of an unknown tag says how to list the tags", async () => {
  const { code, err } = await pin(`${image}:nope`);
  expect(code).toBe(1);
  expect(err).toMatch(
    /No image in the repository has ever had the tag nope \(NOT_FOUND\)\nTo list its tags, run: platformctl list tags/,
  );
});

describe("without a login,", () => {
  let anonymous: Awaited<ReturnType<typeof startAnonymous>>;
  beforeAll(async () => {
    anonymous = await startAnonymous();
  });
  afterAll(() => anonymous.stop());

  test("a free image can be pinned", async () => {
    const { name } = await publicImage(["latest"]);
    const { code, out, err } = await platformctl(["pin", name], { env: anonymous.env });
    expect({ code, out, err }).toEqual({
      code: 0,
      out: `${host()}/${name}@${digestNumber(2)}\n`,
      err: "",
    });
  });

  test("the history is read at the path that the platform names", async () => {
    const asked: string[] = [];
    const registry = createServer((request, response) => {
      asked.push(request.url ?? "");
      const { port } = registry.address() as AddressInfo;
      const own = `http://localhost:${port}`;
      const discovery = {
        ...{ issuer: own, platform_api_url: own, platform_api_audience: own },
        ...{ platform_registry_url: own, platform_registry_audience: own },
        platform_registry_vendor: "acme",
      };
      const history = [{ updateTimestamp: at(0), digest: digestNumber(7) }];
      const answers = { history, token: "t", expires_in: 60, ...discovery };
      response.setHeader("docker-content-digest", digestNumber(7));
      response.setHeader("content-type", "application/json").end(JSON.stringify(answers));
    }).listen(0, "127.0.0.1");
    await once(registry, "listening");
    const { port } = registry.address() as AddressInfo;
    const url = `http://localhost:${port}`;
    const env = { PLATFORM_URL: url, PLATFORM_STATE: "/nowhere" };
    const { out } = await platformctl(["pin", "a/b:c"], { env });
    registry.close();
    expect(out).toBe(`localhost:${port}/a/b@${digestNumber(7)}\n`);
    expect(asked).toContain("/v2/a/b/_acme/history/c");
  });

  test("a private image, and a tag that is not free, require one", async () => {
    const { name } = await publicImage(["1.0"]);
    for (const text of [image, `${name}:1.0`]) {
      const { code, out, err } = await platformctl(["pin", text], { env: anonymous.env });
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toContain("To log in, run: platformctl auth login --org NAME");
    }
  });
});
