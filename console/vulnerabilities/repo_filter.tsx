/** Chooses one repository of a group, or all. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useClient } from "../data/platform.tsx";
import { Combobox } from "../elements/combobox.tsx";

/** The suggestions that show at once. */
const maxSuggestions = 20;

export function RepoFilter({
  group,
  value,
  onChange,
}: {
  group: string;
  /** The uid of the repository, or empty for all. */
  value: string;
  onChange: (repo: string) => void;
}) {
  const client = useClient();
  const [typed, setTyped] = useState<string>();
  const chosen = useQuery({
    queryKey: ["repos", value],
    queryFn: () => client.repos.get(value),
    enabled: value !== "",
  });
  const text = typed ?? (value === "" ? "" : (chosen.data?.name ?? "…"));
  const namePrefix = (typed ?? "").trim().toLowerCase();
  const matches = useQuery({
    queryKey: ["repos", { group, namePrefix }],
    queryFn: () =>
      client.repos
        .list({
          descendantsOf: group,
          ...(namePrefix === "" ? { orderBy: "name" } : { namePrefix }),
        })
        .all(maxSuggestions),
  });
  const options = (matches.data ?? []).map(({ uid, name }) => ({ value: uid, text: name }));
  return (
    <Combobox
      label="Repository"
      placeholder="All"
      text={text}
      busy={matches.isFetching}
      onText={(next) => {
        setTyped(next);
        if (next === "" && value !== "") onChange("");
      }}
      options={options}
      onChoose={(option) => {
        setTyped(undefined);
        onChange(option.value);
      }}
    />
  );
}
