export default function NewBranch() {
  return <p>NewBranch</p>;
}
