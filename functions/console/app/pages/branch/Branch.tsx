export default function Branch() {
  return <p>Branch</p>;
}
