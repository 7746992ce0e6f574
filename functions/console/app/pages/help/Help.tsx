export default function Help() {
  return <p>Help</p>;
}
