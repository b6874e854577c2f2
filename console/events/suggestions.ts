/** The possible meanings of the text in the filter of the event log. */
import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import type { Client } from "../../client/index.ts";
import { identityName, usePeople } from "../data/people.ts";
import { useClient } from "../data/platform.tsx";
import { useSettled } from "../data/settled.ts";
import { isUid, rootOf } from "../data/uids.ts";
import type { Option } from "../elements/combobox.tsx";
import { suggestTypes } from "./event_types.ts";
import type { TextFilter } from "./filters.ts";

/** A filter that a suggestion sets: `type` adds to the types, and the others replace their value. */
export interface Suggestion extends Option {
  filter: TextFilter | "type";
  /** The value of the filter, such as a uid. */
  meaning: string;
}

const newSuggestion = (
  filter: Suggestion["filter"],
  meaning: string,
  text: string,
  detail: string,
): Suggestion => ({ value: `${filter}:${meaning}`, filter, meaning, text, detail });

const tagPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/** The meaning of a text without a look-up: a uid, a tag, or the id of a request. */
function literalMeanings(text: string): Suggestion[] {
  if (isUid(text)) {
    return [
      newSuggestion("subject", text, "Events about this resource", "uid"),
      newSuggestion("actor", text, "Changes by this identity", "uid"),
      ...(text.includes("/")
        ? [newSuggestion("repo", text, "Events about this repository and its tags", "uid")]
        : []),
    ];
  }
  const isTag = tagPattern.test(text);
  return [
    ...(isTag ? [newSuggestion("tag", text, text, "Tag with this name")] : []),
    ...(/^[!-~]{8,128}$/.test(text) ? [newSuggestion("request", text, text, "Request id")] : []),
  ];
}

/** The part of a name that lists can search for. */
const asPrefix = (text: string) => text.toLowerCase().replace(/[^a-z0-9._/ -].*$/, "");

async function findNamed(client: Client, group: string, text: string): Promise<Suggestion[]> {
  const request = { descendantsOf: group, namePrefix: asPrefix(text), pageSize: 5 };
  const none = () => ({ rows: [] });
  const [repos, identities] = await Promise.all([
    client.repos.list(request).page().catch(none),
    client.identities.list(request).page().catch(none),
  ]);
  return [
    ...repos.rows.map(({ uid, name }) => newSuggestion("repo", uid, name, "Repository")),
    ...identities.rows.map(({ uid, name }) => newSuggestion("actor", uid, name, "Identity")),
  ];
}

/** Suggestions for a text. Without a text, the families of types. */
export function useSuggestions(
  group: string,
  text: string,
): { options: Suggestion[]; busy: boolean } {
  const client = useClient();
  const settled = useSettled(text.trim());
  const isSearch = settled.length > 1 && asPrefix(settled) !== "" && !isUid(settled);
  const named = useQuery({
    queryKey: ["event-filter", group, settled],
    queryFn: () => findNamed(client, group, settled),
    enabled: group !== "" && isSearch,
    placeholderData: keepPreviousData,
  });
  const people = usePeople(rootOf(group), isSearch);
  const wanted = settled.toLowerCase();
  const persons = (isSearch ? (people.data ?? []) : [])
    .filter(({ name = "", email = "" }) => `${name}\n${email}`.toLowerCase().includes(wanted))
    .slice(0, 5)
    .map((person) => newSuggestion("actor", person.uid ?? "", identityName(person), "Person"));
  const types = suggestTypes(settled, settled === "" ? 8 : 6).map(({ type, title }) =>
    newSuggestion("type", type, title, type),
  );
  const matches = isSearch ? (named.data ?? []) : [];
  const options = [...matches, ...persons, ...types, ...literalMeanings(settled)];
  return { options, busy: named.isFetching };
}
