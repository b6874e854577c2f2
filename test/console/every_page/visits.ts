/** The addresses of the console that the tests of every page open, with the text of others that each must show. */
import type { Page } from "playwright-core";
import { routes } from "../../../console/frame/routes.ts";
import { guideNames } from "../../../console/identities/guides.ts";
import { hostileText } from "../hostile_texts.ts";
import { type HostileOrganization, longName } from "./hostile_organization.ts";
import { type HostileRegistry, repoName, tagName, vulnerability } from "./hostile_registry.ts";

/** An address below `/console`. */
export interface Visit {
  address: string;
  /** A text that the page shows, also as the value of a field. */
  shows?: string;
  /** Whether the views that its page links to are left out. */
  isAlone?: boolean;
  /** An action of a person before the page is checked. */
  act?: (page: Page) => Promise<void>;
}

/** The beginning of every hostile text. Pages shorten long ones. */
const start = hostileText(40);

/** The path in `routes` of the page that the address opens. */
export function routeOf(address: string): string | undefined {
  const [path = ""] = address.split("?");
  return routes.find(({ path: route }) =>
    route.endsWith("/*") ? path.startsWith(route.slice(0, -1)) : path === route,
  )?.path;
}

/** The pages about groups and access. */
export function accessVisits(world: HostileOrganization): Visit[] {
  const { organization, group, role, bot, identities, person, provider, decision } = world;
  const of = `group=${organization.uid}`;
  const asked = `identity=${bot}&resource=${group}&capability=repo.list`;

  return [
    { address: `/?${of}`, shows: longName },
    { address: `/access?${of}`, shows: start },
    { address: `/access?group=${group}&view=rules`, shows: start },
    { address: `/access?group=${group}&view=group`, shows: longName, act: openDeletion },
    { address: `/access?group=${group}`, shows: longName },
    { address: `/access?${of}&find=w`, shows: longName },
    { address: `/access?${of}&view=who&can=any&capability=repo.list`, shows: longName },
    { address: `/access?${of}&view=why&${asked}`, shows: longName },
    { address: `/access/decisions/${decision}`, shows: longName },
    { address: `/roles?${of}`, shows: longName },
    { address: `/roles/new?${of}&copy=${role}` },
    { address: `/roles/${role}?${of}`, shows: longName },
    { address: `/identities?${of}`, shows: longName },
    { address: `/identities?${of}&expiring=30`, shows: longName },
    ...guideNames.map(([kind]) => ({ address: `/identities/new?${of}&kind=${kind}` })),
    { address: `/identities/doctor?${of}`, shows: start, act: checkClaims },
    { address: `/identities/doctor?${of}&identity=${bot}`, shows: longName },
    ...[bot, ...identities].flatMap((uid) => [
      { address: `/identities/${uid}` },
      { address: `/identities/${uid}?view=edit` },
    ]),
    { address: `/identities/${bot}?view=access&capability=repo.create&resource=${group}` },
    { address: `/identities/${bot}?view=keys`, shows: longName },
    { address: `/identities/${person}?${of}`, shows: start },
    { address: `/identities/${organization.owner.uid}?${of}`, shows: start },
    { address: `/invites?${of}`, shows: "w".repeat(60) },
    { address: `/identity-providers?${of}`, shows: longName },
    { address: `/identity-providers/new?${of}` },
    { address: `/identity-providers/${provider}`, shows: start },
    { address: `/identity-providers/${provider}?view=edit`, shows: start },
    { address: `/role-mappings?${of}`, shows: start },
    { address: `/account-associations?${of}`, shows: longName },
    { address: `/account-associations/${organization.uid}`, shows: start },
    { address: `/account-associations/${organization.uid}?view=edit`, shows: start },
  ];
}

/** The pages about images, tags and vulnerabilities. */
export function registryVisits(
  { organization }: HostileOrganization,
  { repo, tag, oldTag, plan, images, index, image }: HostileRegistry,
): Visit[] {
  const of = `group=${organization.uid}`;
  return [
    { address: `/repositories?${of}`, shows: repoName },
    { address: `/repositories/${repo}`, shows: start },
    { address: `/repositories/${repo}?show=end-of-life`, shows: tagName },
    { address: `/repositories/${repo}/readme`, shows: "gnp.exe" },
    { address: `/repositories/${repo}/activity`, shows: start },
    { address: `/repositories/${repo}/rules`, shows: start },
    { address: `/repositories/${repo}/expiry`, shows: "To approve" },
    { address: `/expiry-plans/${plan}`, shows: "x".repeat(255), act: openWhy },
    { address: `/moves?${of}`, shows: start },
    { address: `/end-of-life?${of}`, shows: "b".repeat(200) },
    { address: `/usage?${of}`, shows: "b".repeat(200) },
    { address: `/sessions?${of}` },
    { address: `/sessions?${of}&view=group`, shows: start },
    { address: `/tags/${tag}`, shows: tagName },
    { address: `/tags/${repo}/-?name=1.0.0&compare=2026-01-01T00:00:00Z`, shows: repoName },
    { address: `/tags/${repo}/-?name=${encodeURIComponent(oldTag)}`, shows: start },
    { address: `/images/${images}@${index}`, shows: hostileText(64) },
    { address: `/images/${images}@${image}?index=${index}`, shows: start },
    { address: `/images/${images}@${image}?view=pulls` },
    { address: `/compare?first=${tag}&second=${images}@${image}`, shows: tagName },
    { address: `/vulnerabilities?${of}`, shows: vulnerability },
    { address: `/vulnerabilities?${of}&view=advisories`, shows: "EX-0" },
    { address: `/vulnerabilities?${of}&view=packages&package=hostile`, shows: "hostile" },
    { address: `/vulnerabilities/${encodeURIComponent(vulnerability)}?${of}`, shows: start },
  ];
}

/** The pages about events. */
export function eventVisits(
  { organization, subscription }: HostileOrganization,
  events: readonly string[],
): Visit[] {
  const of = `group=${organization.uid}`;
  return [
    { address: `/events?${of}`, shows: longName, act: openFilters },
    ...events.flatMap((uid) => [
      { address: `/events/${uid}` },
      { address: `/deliveries/${subscription}/${uid.slice(-16)}`, shows: start },
    ]),
    { address: `/subscriptions?${of}`, shows: "w".repeat(1_000) },
    { address: `/subscriptions?${of}&new=1` },
    { address: `/subscriptions/${subscription}`, shows: "w".repeat(1_000) },
    { address: `/deliveries?${of}`, shows: "w".repeat(1_000) },
  ];
}

async function openDeletion(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Delete group" }).click();
  await page.getByRole("dialog").waitFor();
}

/** Opens the details of the first row of a plan. */
async function openWhy(page: Page): Promise<void> {
  await page.locator(".expiry-plans-why").first().click();
  await page.getByRole("dialog").waitFor();
}

async function openFilters(page: Page): Promise<void> {
  await page.getByRole("combobox", { name: "Filter" }).fill("w");
}

/** Gives hostile claims to the token doctor. */
async function checkClaims(page: Page): Promise<void> {
  const [sub, name] = [hostileText(2_000), hostileText(200)];
  const claims = { iss: "https://login.example", sub, aud: sub, [name]: hostileText(10_000) };
  await page.getByLabel("Token or claims").fill(JSON.stringify(claims));
  await page.getByRole("button", { name: "Check the token" }).click();
  await page.locator(".identities-verdict").waitFor();
}
