export default function Import() {
  return <p>Import</p>;
}
