/**
 * The answers about access are those of the rules in plain loops (rules.ts), on random organizations. There are
 * 150 of them. `ACCESS_ORGANIZATIONS=5000` tests more, and `ACCESS_SEED` repeats a run.
 */
import { expect, test } from "vitest";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { callRest, tokenFor } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import { listAccess, testPermissions } from "./calls.ts";
import {
  newRandom,
  newWorld,
  type Random,
  someCapabilities,
  store,
  type World,
} from "./random_world.ts";
import { hasAccess, isValid, type Token, whoHas } from "./rules.ts";

const organizations = Number(process.env.ACCESS_ORGANIZATIONS ?? 150);
/** Two tests of one run must not make the same organizations. The long one has the seed that is asked for. */
const seedOf = (test: number) =>
  Number(process.env.ACCESS_SEED ?? Date.now() % 1_000_000) + (1 - test) * 1_000_000;
/** The organizations of one statement, and of the calls that run at the same time. */
const portion = 25;

const nameOf = (capability: Capability) => Capability[capability];

function newToken(random: Random, world: World): Token {
  const { groups, repos, providers, people, bots } = world;
  const everyone = [...people.map(({ uid }) => uid), ...bots];
  const identity = random.pick(everyone);
  const [scopes, capabilities] = [
    random.some([...groups, ...repos]),
    random.some(someCapabilities, 0.7),
  ];
  const limits = {
    ...(random.isLikely(0.25) ? { scopes } : {}),
    ...(random.isLikely(0.25) ? { capabilities } : {}),
  };
  const [provider] = providers;
  if (provider && identity.length === 40 && random.isLikely(0.4)) {
    const login = { provider: provider.uid, groups: random.some(["admins", "readers", "others"]) };
    return { identity, scopes: [provider.group], ...limits, login };
  }
  if (identity.includes("/") && random.isLikely(0.3)) {
    return { identity, ...limits, exchangedFrom: [random.pick(people).uid] };
  }
  return { identity, ...limits };
}

const signed = ({ identity, scopes, capabilities, login, exchangedFrom }: Token) =>
  tokenFor(identity, {
    ...(scopes && { scopes }),
    ...(capabilities && { capabilities }),
    ...(login && {
      ...{ idp: login.provider, groups: login.groups },
      chain: [{ sub: identity, idp: login.provider }],
    }),
    ...(exchangedFrom && { chain: [...exchangedFrom.map((sub) => ({ sub })), { sub: identity }] }),
  });

/** Uids of groups and repositories, of resources in them, and of another organization. */
function newResources(random: Random, { groups, repos }: World): string[] {
  const places = [...groups, ...repos];
  const group = random.pick(places);
  return [
    group,
    `${random.pick(places)}/${random.hex(16)}`,
    `${group}/${random.hex(16)}/${random.hex(16)}`,
    random.hex(40),
  ];
}

/** TestPermissions and a real call for the holder of a token. */
async function checkCaller(random: Random, world: World, tallies: Map<string, number>) {
  const token = newToken(random, world);
  const resources = newResources(random, world);
  const text = await signed(token);
  const missing = `${random.pick(world.groups)}/${random.hex(16)}`;
  const repo = random.pick([missing, ...world.repos]);
  const { status } = await callRest(`/registry/v2/repos/${repo}`, { token: text });
  const about = JSON.stringify({ token, repo, resources, world });
  if (!isValid(world, token)) {
    expect(status, about).toBe(401);
    await expect(testPermissions(text, resources), about).rejects.toThrow("no longer exists");
    return;
  }
  const [listRepos = 0] = someCapabilities;
  const found = repo === missing ? 404 : 200;
  expect(status, about).toBe(hasAccess(world, token, listRepos, repo) ? found : 403);
  const expected = resources.map((resource) =>
    someCapabilities.filter((one) => hasAccess(world, token, one, resource)).map(nameOf),
  );
  const tested = await testPermissions(text, resources, someCapabilities.map(nameOf));
  expect(tested, about).toEqual(expected);
  for (const held of tested) tally(tallies, held.length > 0 ? "has some" : "has none");
}

const tally = (tallies: Map<string, number>, key: string) =>
  tallies.set(key, (tallies.get(key) ?? 0) + 1);

/** ExplainAccess and ListAccess for the administrator of the organization. */
async function checkQuestions(random: Random, world: World, tallies: Map<string, number>) {
  const admin = await tokenFor(world.admin);
  const [resource = ""] = newResources(random, world).slice(random.below(3));
  const capability = random.pick(someCapabilities);
  const { identity, login: asked } = newToken(random, world);
  const provider = world.providers.find(({ uid }) => uid === asked?.provider);
  const hasCome =
    provider?.seen.length !== undefined &&
    (world.providers.some(({ seen }) => seen.includes(identity)) ||
      world.bindings.some((one) => one.identity === identity && one.accepted));
  // A login says nothing about people who have not come into the organization.
  const login = asked && hasCome ? asked : undefined;
  const token: Token = { identity, ...(login && provider && { login, scopes: [provider.group] }) };
  const about = JSON.stringify({ token, resource, capability: nameOf(capability), world });
  const query = { capability: nameOf(capability), resource_uid: resource };
  const search = new URLSearchParams({
    ...query,
    identity_uid: identity,
    ...(login && { identity_provider_uid: login.provider }),
  });
  for (const group of login?.groups ?? []) search.append("external_group_ids", group);
  const { status, body } = await callRest(`/iam/v2/access:explain?${search}`, { token: admin });
  expect(status, JSON.stringify(body) + about).toBe(200);
  const isAllowed = isValid(world, token) && hasAccess(world, token, capability, resource);
  expect(body.allowed ?? false, about).toBe(isAllowed);
  tally(tallies, isAllowed ? "allowed" : body.miss.kind);
  const { entries } = await listAccess(admin, { ...query, page_size: String(1 + random.below(4)) });
  const rows = entries.map((one) =>
    [
      one.roleBindingUid || one.externalGroupRoleMappingUid,
      one.state?.replace("ACCESS_STATE_", ""),
    ].join(" "),
  );
  for (const { state = "" } of entries) tally(tallies, state);
  expect(rows.toSorted(), about).toEqual(whoHas(world, capability, resource));
}

/** Answers that tests of a few organizations meet, and all that those of a thousand do. */
const usual = ["has some", "has none", "allowed"];
const answers = [
  ...usual,
  ...["KIND_NO_ROLE", "KIND_PENDING", "KIND_BLOCKED", "KIND_OUT_OF_REACH", "KIND_ELSEWHERE"],
  "KIND_ROLE_LACKS_CAPABILITY",
  ...["EFFECTIVE", "PENDING", "BLOCKED", "OUT_OF_REACH"].map((state) => `ACCESS_STATE_${state}`),
];

for (const [count, seed, tier] of [
  [25, seedOf(0), {}],
  // A person with an own role binding, whom one provider blocks and another one admits.
  [150, 1_171_726, long],
  [organizations, seedOf(1), { ...long, timeout: 7_200_000 }],
] as const)
  test(
    `every answer equals the rules in plain loops on ${count} random organizations (seed ${seed})`,
    tier,
    async () => {
      const random = newRandom(seed);
      const tallies = new Map<string, number>();
      // Some answers are rare, so a small number of organizations may have to be followed by more.
      const isVaried = () => (count < 1000 ? usual : answers).every((kind) => tallies.has(kind));
      for (let done = 0; done < count || (done < 10 * count && !isVaried()); done += portion) {
        const worlds = Array.from({ length: portion }, () => newWorld(random));
        await store(worlds);
        // Each organization has a generator of its own, because the calls end in any order.
        const checks = worlds.map((world, at) => ({ world, own: newRandom(seed + done + at) }));
        await Promise.all(
          checks.map(async ({ world, own }) => {
            await checkCaller(own, world, tallies);
            await checkQuestions(own, world, tallies);
          }),
        );
      }
      expect(isVaried(), JSON.stringify([...tallies])).toBe(true);
      if (process.env.ACCESS_ORGANIZATIONS) console.info(Object.fromEntries(tallies));
    },
  );
