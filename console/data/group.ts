/** The group that the pages are about. Its uid is in the address, so that a link shows the same to everyone. */
import { useQuery } from "@tanstack/preact-query";
import { useEffect } from "preact/hooks";
import { useLocation, useSearchParams } from "wouter-preact";
import { type Group, PermissionDenied } from "../../client/index.ts";
import { lastPlace } from "../session/last_place.ts";
import { useClient, useSession, useSessionState } from "./platform.tsx";
import { isAtOrAbove } from "./uids.ts";

/** Organizations and groups that the list shows at most. */
const maxGroups = 200;

/**
 * The organizations that the person can see, in the order of their names. For a person who only sees groups within an
 * organization, these groups.
 */
export function useOrganizations() {
  const client = useClient();
  return useQuery({
    queryKey: ["groups", "organizations"],
    queryFn: async () => {
      const roots = await client.groups
        .list({ inRoot: true, orderBy: "name" })
        .all(maxGroups)
        .catch(noneIfDenied);
      if (roots.length > 0) return roots;
      const all = await client.groups.list({ orderBy: "name" }).all(maxGroups).catch(noneIfDenied);
      const isBelow = ({ uid }: Group) =>
        all.some((other) => other.uid !== uid && isAtOrAbove(other.uid, uid));
      return all.filter((group) => !isBelow(group));
    },
    staleTime: 300_000,
  });
}

/** The platform refuses to list groups to a person who can see none at all. */
function noneIfDenied(error: Error): Group[] {
  if (error instanceof PermissionDenied) return [];
  throw error;
}

/** One group. An empty uid asks nothing. */
export function useGroup(uid: string) {
  const client = useClient();
  return useQuery({
    queryKey: ["groups", uid],
    queryFn: () => client.groups.get(uid),
    enabled: uid !== "",
    staleTime: 300_000,
  });
}

/** The group of the address: its uid, or the organization of the resource in the path. Empty if there is neither. */
export function useAskedGroup(): string {
  const [parameters] = useSearchParams();
  const [location] = useLocation();
  const [, organization = ""] = /\/([0-9a-f]{40})\/[0-9a-f]{16}/.exec(location) ?? [];
  return parameters.get("group") ?? organization;
}

/** The organization of a group, if the person can see it. */
const organizationOf = (organizations: Group[] | undefined, group: string) =>
  organizations?.find(({ uid }) => isAtOrAbove(uid, group));

/** The group that a page is about. */
interface CurrentGroup {
  /** Empty until it is known. */
  uid: string;
  group: Group | undefined;
  /** Whether the person can see no group at all. */
  isNone: boolean;
  /** Why the groups of the person could not be listed. */
  error: Error | null;
  retry: () => void;
}

/**
 * The group of the address, otherwise that of the last page, otherwise that of the last visit. If the last one is gone, it
 * is its organization. On the first visit it is the organization whose owner `npm start` has signed in, otherwise the
 * first one.
 */
export function useCurrentGroup(): CurrentGroup {
  const { data: organizations, error, refetch } = useOrganizations();
  const asked = useAskedGroup();
  const { localOwner } = useSession();
  const state = useSessionState();
  const isOwner = state.kind !== "signed-out" && state.isLocalOwner;
  const owned = (isOwner && localOwner?.organization.uid) || "";
  const last = [...lastPlace.read(), owned].find((uid) => organizationOf(organizations, uid)) ?? "";
  const organization = organizationOf(organizations, last)?.uid;
  const place = useGroup(asked === "" && last !== organization ? last : "");
  const isOrganization = last === organization || place.error !== null;
  const known = isOrganization ? organization : place.data?.uid;
  const uid = asked || (last === "" ? organizations?.[0]?.uid : known) || "";
  const { data: group } = useGroup(uid);
  return {
    uid,
    group,
    error,
    isNone: organizations?.length === 0 && asked === "",
    retry: () => void refetch(),
  };
}

/**
 * Writes the group into an address without one. Copied into a link, the address then shows the same to everyone. Keeps the
 * group for the next visit.
 */
export function useGroupInAddress(): void {
  const asked = useAskedGroup();
  const [location] = useLocation();
  const { uid, group } = useCurrentGroup();
  const [parameters] = useSearchParams();
  const isAllowed = organizationOf(useOrganizations().data, asked) !== undefined;
  // The path of a resource names the organization, although the person can have come from a group below it.
  const isPlace =
    parameters.has("group") || !lastPlace.read().some((last) => isAtOrAbove(asked, last));
  useEffect(() => {
    if (isPlace && isAllowed && group?.uid === asked) lastPlace.keep(asked);
  }, [isPlace, isAllowed, group?.uid, asked]);
  useEffect(() => {
    if (asked !== "" && isPlace) lastPlace.visit(asked);
    if (asked !== "" || uid === "") return;
    const url = new URL(window.location.href);
    url.searchParams.set("group", uid);
    history.replaceState(history.state, "", url);
  }, [asked, uid, location]);
}
