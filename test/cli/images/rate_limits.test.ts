/** Pushes that meet a rate limit. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { someBytes } from "../../distribution/client.ts";
import { newVerified } from "../../distribution/stored_images.ts";
import { type Organization, randomName } from "../../world/personas.ts";
import { baseUrl } from "../../world/platform.ts";
import { commandsOf, newFolder, newStateFolder } from "../command.ts";
import { newLayout } from "./layouts.ts";
import { startProxy } from "./proxy.ts";

let organization: Organization;
let platformctl: Awaited<ReturnType<typeof commandsOf>>;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let env: NodeJS.ProcessEnv = {};
beforeAll(async () => {
  organization = await newVerified();
  platformctl = await commandsOf(organization);
  proxy = await startProxy(baseUrl());
  env = {
    PLATFORM_STATE: await newStateFolder(organization, { registryUrl: proxy.url }),
    XDG_STATE_HOME: await newFolder(),
  };
});
afterAll(() => proxy.stop());
beforeEach(() => {
  proxy.seen.length = 0;
  proxy.change = () => undefined;
});

const limitedFor = (seconds: number) => ({
  status: 429,
  headers: { "retry-after": String(seconds) },
});

test("a push waits, shows one line for all layers, and sends no layer that the registry has", async () => {
  const { folder } = await newLayout([1, 2, 3].map(() => someBytes(1000)));
  const name = `${organization.name}/${randomName("image")}`;
  expect(await platformctl(["push", folder, name], { env })).toMatchObject({ code: 0 });
  proxy.seen.length = 0;
  let refusals = 4;
  proxy.change = ({ method }) => (method === "HEAD" && refusals-- > 0 ? limitedFor(1) : undefined);
  const { code, out, err } = await platformctl(["push", folder, name, "--json"], { env });
  expect(code).toBe(0);
  expect(JSON.parse(out).blobs).toEqual({ exists: 4, mounted: 0, uploaded: 0 });
  expect(err).toMatch(/^The platform asks to wait [12] s \(too many requests\); waiting…\n$/);
  expect(proxy.seen.filter(({ method }) => method === "POST")).toEqual([]);
  expect(proxy.seen.filter(({ status }) => status === 429)).toHaveLength(4);
});

test("a push that fails for good does not wait for the rate limit of another layer", async () => {
  const { folder } = await newLayout([1, 2, 3].map(() => someBytes(1000)));
  const name = `${organization.name}/${randomName("image")}`;
  const denied = Buffer.from('{"errors": [{"code": "DENIED", "message": "not this layer"}]}');
  let begun = 0;
  proxy.change = ({ method }) => {
    if (method !== "POST") return undefined;
    return begun++ === 0 ? limitedFor(95) : { status: 403, body: denied };
  };
  let result = { code: 0, err: "" };
  void platformctl(["push", folder, name], { env }).then((ended) => {
    result = ended;
  });
  await expect
    .poll(() => result)
    .toMatchObject({ code: 1, err: expect.stringContaining("ot this layer") });
});
