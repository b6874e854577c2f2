/** The forms for jobs of CI systems. */
import { CheckField, SelectField, TextField } from "../elements/fields.tsx";
import type { GitHubGuide, GitLabGuide } from "./guides.ts";

/** A guide, and what gets its next state. */
export interface FieldsOf<Guide> {
  guide: Guide;
  onChange: (guide: Guide) => void;
}

const runs = [
  ["branch", "Jobs of one branch"],
  ["tag", "Jobs of tags"],
  ["environment", "Jobs with an environment"],
  ["pull_request", "Jobs of pull requests"],
  ["any", "Every job of the repository"],
] as const;

const refLabels = {
  branch: "Branch",
  tag: "Tag, or nothing for every tag",
  environment: "Environment",
} as const;

export function GitHubFields({ guide, onChange }: FieldsOf<GitHubGuide>) {
  const { when } = guide;
  return (
    <>
      <TextField
        label="Repository"
        placeholder="owner/name"
        value={guide.repository}
        required
        onInput={(repository) => onChange({ ...guide, repository })}
      />
      <SelectField
        label="Who gets in"
        value={when}
        options={runs}
        onChange={(next) => onChange({ ...guide, when: next })}
      />
      {when !== "pull_request" && when !== "any" && (
        <TextField
          label={refLabels[when]}
          value={guide.ref}
          required={when !== "tag"}
          onInput={(ref) => onChange({ ...guide, ref })}
        />
      )}
      <GitHubIds guide={guide} onChange={onChange} />
    </>
  );
}

/** After a rename or a deletion, someone else can get a name at GitHub, but never an id. */
function GitHubIds({ guide, onChange }: FieldsOf<GitHubGuide>) {
  return (
    <>
      <TextField
        label="Id of the owner"
        hint={
          <>
            Someone else can get a name after a rename, but never an id.{" "}
            <code>gh api repos/OWNER/NAME --jq .owner.id</code> shows it.
          </>
        }
        value={guide.ownerId}
        required={guide.hasIds}
        onInput={(ownerId) => onChange({ ...guide, ownerId })}
      />
      <TextField
        label="Id of the repository"
        hint={
          <>
            <code>gh api repos/OWNER/NAME --jq .id</code> shows it.
          </>
        }
        value={guide.repositoryId}
        required={guide.hasIds}
        onInput={(repositoryId) => onChange({ ...guide, repositoryId })}
      />
      <CheckField
        label="The subjects of this repository contain the ids"
        hint={
          <>
            As in <code>repo:owner@123/name@456:…</code> Newer repositories have such subjects.
          </>
        }
        checked={guide.hasIds}
        onChange={(hasIds) => onChange({ ...guide, hasIds })}
      />
    </>
  );
}

export function GitLabFields({ guide, onChange }: FieldsOf<GitLabGuide>) {
  return (
    <>
      <TextField
        label="Address of GitLab"
        type="url"
        value={guide.issuer}
        required
        onInput={(issuer) => onChange({ ...guide, issuer })}
      />
      <TextField
        label="Project"
        placeholder="group/project"
        value={guide.project}
        required
        onInput={(project) => onChange({ ...guide, project })}
      />
      <SelectField
        label="Who gets in"
        value={guide.when}
        options={[
          ["branch", "Jobs of one branch"],
          ["tag", "Jobs of tags"],
          ["any", "Every job of the project"],
        ]}
        onChange={(when) => onChange({ ...guide, when })}
      />
      {guide.when !== "any" && (
        <TextField
          label={refLabels[guide.when]}
          value={guide.ref}
          required={guide.when === "branch"}
          onInput={(ref) => onChange({ ...guide, ref })}
        />
      )}
      <TextField
        label="Id of the project"
        hint="Someone else can get a path after a rename, but never an id. The page of the project shows it."
        value={guide.projectId}
        onInput={(projectId) => onChange({ ...guide, projectId })}
      />
    </>
  );
}
