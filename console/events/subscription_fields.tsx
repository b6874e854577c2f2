/** The fields of a subscription: where the events go, and which ones. */

import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { useClient } from "../data/platform.tsx";
import { shortUid } from "../data/uids.ts";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { TextField, violationOf, violationWhere } from "../elements/fields.tsx";
import { ChosenField } from "./chosen_field.tsx";
import { suggestTypes, titleOf } from "./event_types.ts";
import { RepoName } from "./names.tsx";

/** The values that a person enters. */
export interface SubscriptionDraft {
  sink: string;
  eventTypes: readonly string[];
  repoUids: readonly string[];
  tagPattern: string;
}

/** Nothing is entered yet: no sink, and all events. */
export const emptyDraft: SubscriptionDraft = {
  sink: "",
  eventTypes: [],
  repoUids: [],
  tagPattern: "",
};

interface SubscriptionFieldsProps {
  group: string;
  draft: SubscriptionDraft;
  onChange: (draft: SubscriptionDraft) => void;
  error: Error | null;
}

const useTypeOptions = (text: string) =>
  suggestTypes(text, 8).map(({ type, title }) => ({ value: type, text: title, detail: type }));

function useRepoOptions(group: string, text: string) {
  const client = useClient();
  const namePrefix = text.trim().toLowerCase();
  const { data } = useQuery({
    queryKey: ["repos", "suggestions", { group, namePrefix }],
    queryFn: () =>
      client.repos
        .list({ descendantsOf: group, ...(namePrefix ? { namePrefix } : {}), pageSize: 8 })
        .page(),
    enabled: group !== "",
    placeholderData: keepPreviousData,
  });
  return (data?.rows ?? []).map(({ uid, name, description }) => ({
    ...{ value: uid, text: name },
    ...(description ? { detail: description } : {}),
  }));
}

/** The violation of a list is that of one of its items. */
const violationIn = (error: Error | null, field: string): string | undefined =>
  violationWhere(error, (one) => one.includes(field));

/** `error` is the refusal of the platform. It shows at its field, or below all of them. */
export function SubscriptionFields({ group, draft, onChange, error }: SubscriptionFieldsProps) {
  const set = (changes: Partial<SubscriptionDraft>) => onChange({ ...draft, ...changes });
  const errors = {
    sink: violationOf(error, "sink"),
    types: violationIn(error, "event_types"),
    repos: violationIn(error, "repo_uids"),
    tags: violationOf(error, "tag_pattern"),
  };
  const isShown = Object.values(errors).some((one) => one !== undefined);
  return (
    <>
      <TextField
        label="Sink"
        hint="The https URL that receives a POST request for each event."
        value={draft.sink}
        onInput={(sink) => set({ sink })}
        error={errors.sink}
        placeholder="https://"
        required
      />
      <ChosenField
        label="Types of events"
        hint="Without a type, the sink receives all events."
        placeholder="Tag, api.iam.*"
        chosen={draft.eventTypes}
        onChange={(eventTypes) => set({ eventTypes })}
        useOptions={useTypeOptions}
        show={titleOf}
        nameOf={titleOf}
        error={errors.types}
      />
      <ChosenField
        label="Repositories"
        hint="Without a repository, the sink receives the events of all of them."
        chosen={draft.repoUids}
        onChange={(repoUids) => set({ repoUids })}
        useOptions={(text) => useRepoOptions(group, text)}
        show={(uid) => <RepoName uid={uid} />}
        nameOf={(uid) => `the repository ${shortUid(uid)}`}
        error={errors.repos}
      />
      <TextField
        label="Tags"
        hint="Only events about tags with such a name. A * stands for any characters: 1.*-slim."
        value={draft.tagPattern}
        onInput={(tagPattern) => set({ tagPattern })}
        error={errors.tags}
      />
      {error && !isShown && <ErrorNotice error={error} />}
    </>
  );
}
