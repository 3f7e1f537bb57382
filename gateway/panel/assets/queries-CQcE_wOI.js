import{n as e,t}from"./queryOptions-BewihW8w.js";import{n,r,t as i}from"./present-Dfo5y7jP.js";var a=n(`
  query Viewer {
    viewer { role environment isStaff operations store { id name productionStatus } }
    me { user { id name email } }
    stores { id name }
  }
`),o=t({queryKey:[`viewer`],queryFn:async({signal:e})=>{let{viewer:t,me:n,stores:o}=await r(a,{},{signal:e});return{...i(t),user:i(n).user,stores:i(o)}},staleTime:6e4});function s(){let{data:t}=e(o);return e=>t.operations.includes(e)}export{o as n,s as t};