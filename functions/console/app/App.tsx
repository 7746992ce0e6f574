import { AppShell, Button, Combobox, Menu, Modal, Select, Table, TextInput, Timeline } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { Route } from 'wouter';
export function App() {
  const form = useForm({ initialValues: { a: '' } });
  const [open, setOpen] = useState(false);
  return (
    <AppShell padding="md">
      <Route>
        <Select data={['a', 'b']} searchable label="x" />
        <TextInput label="y" {...form.getInputProps('a')} />
        <Menu>
          <Menu.Target>
            <Button>m</Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item>1</Menu.Item>
          </Menu.Dropdown>
        </Menu>
        <Table striped>
          <Table.Tbody />
        </Table>
        <Timeline>
          <Timeline.Item>q</Timeline.Item>
        </Timeline>
        <Button onClick={() => setOpen(true)}>Open</Button>
        <Modal opened={open} onClose={() => setOpen(false)} title="t">
          hello
        </Modal>
      </Route>
    </AppShell>
  );
}
