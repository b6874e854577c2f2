/** The fields of a subscription: where the events go, and which ones. */
import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import type { Subscription } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { shortUid } from "../data/uids.ts";
import { CheckField, SelectField, TextField, violationOf } from "../elements/fields.tsx";
import { ChosenField } from "./chosen_field.tsx";
import { suggestTypes, titleOf } from "./event_types.ts";
import { RepoName } from "./names.tsx";

const byVulnerability = "EVENT_GROUPING_VULNERABILITY";

/** The values that a person enters. */
export interface SubscriptionDraft {
  sink: string;
  eventTypes: readonly string[];
  repoUids: readonly string[];
  tagPattern: string;
  grouping: NonNullable<Subscription["grouping"]>;
  minimumSeverity: NonNullable<Subscription["minimumSeverity"]>;
}

/** The lowest severities to choose from. */
const minimumSeverities: readonly [SubscriptionDraft["minimumSeverity"], string][] = [
  ["FINDING_SEVERITY_UNSPECIFIED", "Any"],
  ["FINDING_SEVERITY_NEGLIGIBLE", "Negligible or more"],
  ["FINDING_SEVERITY_LOW", "Low or more"],
  ["FINDING_SEVERITY_MEDIUM", "Medium or more"],
  ["FINDING_SEVERITY_HIGH", "High or more"],
  ["FINDING_SEVERITY_CRITICAL", "Critical"],
];

/** The lowest severity in words, such as `high or more`. Undefined for any. */
export const severityWords = ({ minimumSeverity }: Subscription): string | undefined =>
  minimumSeverities
    .slice(1)
    .find(([value]) => value === minimumSeverity)?.[1]
    .toLowerCase();

/** Nothing is entered yet: no sink, and all events. */
export const emptyDraft: SubscriptionDraft = {
  sink: "",
  eventTypes: [],
  repoUids: [],
  tagPattern: "",
  grouping: "EVENT_GROUPING_UNSPECIFIED",
  minimumSeverity: "FINDING_SEVERITY_UNSPECIFIED",
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
    value: uid,
    text: name,
    ...(description ? { detail: description } : {}),
  }));
}

/** The fields that show what the platform says about them. */
export const subscriptionPaths = [
  ...["sink", "event_types", "repo_uids", "tag_pattern", "grouping", "minimum_severity"],
];

/** `error` is the refusal of the platform. */
export function SubscriptionFields({ group, draft, onChange, error }: SubscriptionFieldsProps) {
  const set = (changes: Partial<SubscriptionDraft>) => onChange({ ...draft, ...changes });
  return (
    <>
      <TextField
        label="Sink"
        hint="The https URL that receives a POST request for each event."
        value={draft.sink}
        onInput={(sink) => set({ sink })}
        error={violationOf(error, "sink")}
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
        error={violationOf(error, "event_types")}
      />
      <ChosenField
        label="Repositories"
        hint="Without a repository, the sink receives the events of all of them."
        chosen={draft.repoUids}
        onChange={(repoUids) => set({ repoUids })}
        useOptions={(text) => useRepoOptions(group, text)}
        show={(uid) => <RepoName uid={uid} />}
        nameOf={(uid) => `the repository ${shortUid(uid)}`}
        error={violationOf(error, "repo_uids")}
      />
      <TextField
        label="Tags"
        hint="Only events about tags with such a name. A * stands for any characters: 1.*-slim."
        value={draft.tagPattern}
        onInput={(tagPattern) => set({ tagPattern })}
        error={violationOf(error, "tag_pattern")}
      />
      <SelectField
        label="Severity"
        hint="Of vulnerabilities of images. Those of unknown severity are always sent."
        value={draft.minimumSeverity}
        options={minimumSeverities}
        onChange={(minimumSeverity) => set({ minimumSeverity })}
      />
      <CheckField
        label="One event for each vulnerability"
        hint="Events about affected images are collected for 20 seconds, and sent as one."
        checked={draft.grouping === byVulnerability}
        onChange={(checked) => set({ grouping: checked ? byVulnerability : emptyDraft.grouping })}
      />
    </>
  );
}
